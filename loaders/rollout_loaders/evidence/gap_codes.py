"""Every gap code that the sources have, with its meaning in one sentence (gym-semantics 3.8)."""

from __future__ import annotations

from collections.abc import Mapping

ARTIFACTS: Mapping[str, str] = {
    "agent_artifact_unavailable": "The harness's session artifact (database or transcript) is missing or unreadable.",
    "agent_transcript_unavailable": "No transcript could be built for this invocation.",
    "agent_artifact_record_unowned": "A message or part row belongs to no known session.",
    "agent_artifact_record_unparseable": "A part is unreadable JSON, or of an unknown or malformed type in session "
    "output.",
    "agent_run_timeout": "The local OpenCode run hit its timeout.",
    "agent_activation_interrupted": "The session was closed before an activation gave its observations.",
    "observation_capture_failed": "The observations could not be collected.",
    "observation_parse_failed": "The observations could not be parsed.",
    "no_sandbox_runtime": "The agent ran on the host, so there is no sandbox evidence.",
    "sandbox_observation_unavailable": "Hermes gave no evidence of sandbox usage.",
}

TOOLS: Mapping[str, str] = {
    "tool_call_identity_unavailable": "A tool part has no usable call id, so it has no tool record.",
    "tool_call_identity_ambiguous": "The same call id occurs twice.",
    "tool_timing_unavailable": "Start or end of a tool call is missing or inconsistent.",
    "tool_outcome_unavailable": "Whether a tool call succeeded is not stated.",
    "tool_result_unowned": "A tool result has no call.",
}

COMPACTIONS: Mapping[str, str] = {
    "compaction_summary_ambiguous": "One compaction has more than one summary message.",
    "compaction_summary_unavailable": "A compaction has no summary text.",
    "compaction_token_counts_unavailable": "OpenCode never stores token counts of a compaction.",
    "compaction_model_call_boundary_unavailable": "The model calls before and after a compaction are not known.",
    "compaction_first_kept_item_unavailable": "The message at which the kept context starts gave no item.",
    "compaction_start_unavailable": "A compaction ended without a recorded start.",
    "compaction_result_unavailable": "A compaction has no recorded result.",
    "compaction_outcome_unavailable": "How a compaction ended is not recorded.",
    "compaction_tokens_before_unavailable": "The token count before a compaction is missing.",
    "compaction_tokens_after_unavailable": "The token count after a compaction is missing.",
    "compaction_boundary_unavailable": "The id of the first kept entry of a compaction is missing.",
    "compaction_before_model_call_unavailable": "The model call before a compaction is not known.",
    "compaction_after_model_call_unavailable": "The model call after a compaction is not known.",
    "compaction_timestamp_missing": "A compaction has no time.",
    "compaction_model_call_match_ambiguous": "Several calls could be the one that wrote a summary.",
    "compaction_model_call_reference_unavailable": "The call that wrote a summary is not referenced.",
    "compaction_model_call_join_failed": "The call that wrote a summary could not be joined.",
    "context_compaction_unavailable": "The harness shows no evidence of compactions.",
}

SUBAGENTS: Mapping[str, str] = {
    "subagent_hierarchy_unavailable": "There is no evidence of subagents (Pi never gives any).",
    "subagent_hierarchy_incomplete": "The evidence of subagents is partial.",
    "subagent_parent_unavailable": "The parent of a subagent is not known.",
    "subagent_parent_ambiguous": "Several invocations could be a subagent's parent.",
    "conflicting_subagent_parent": "Two records name different parents of one subagent.",
    "ambiguous_subagent_relation": "How two invocations are related is ambiguous.",
    "subagent_spawn_ambiguous": "Several tool calls could have started a subagent.",
    "subagent_spawn_tool_unavailable": "The tool call that started a subagent is not known.",
    "subagent_spawn_unattributed": "A subagent's start could not be attributed to a tool call.",
    "subagent_transcript_missing": "A subagent's transcript is missing.",
}

OPENCLAW: Mapping[str, str] = {
    "agent_session_store_unreadable": "OpenClaw's session store is unreadable.",
    "agent_session_entry_unparseable": "An entry of OpenClaw's session store could not be parsed.",
    "agent_session_identity_ambiguous": "Several OpenClaw sessions have the same identity.",
    "agent_invocation_unavailable": "An OpenClaw invocation could not be found.",
    "agent_conversation_branching_unavailable": "OpenClaw's branches of a conversation could not be followed.",
    "root_session_not_found": "OpenClaw's root session was not found.",
    "root_session_ambiguous": "Several OpenClaw sessions could be the root.",
}

TRANSCRIPTS: Mapping[str, str] = {
    "transcript_dir_missing": "Claude Code's transcript folder is missing.",
    "transcript_dir_unreadable": "Claude Code's transcript folder is unreadable.",
    "transcript_unreadable": "A Claude Code transcript is unreadable.",
    "malformed_transcript_line": "A line of a Claude Code transcript is no JSON.",
    "invalid_transcript_record": "A record of a Claude Code transcript is invalid.",
    "invalid_assistant_content": "An assistant message of a transcript has invalid content.",
    "invalid_user_content": "A user message of a transcript has invalid content.",
    "unsupported_assistant_content_block": "An assistant message of a transcript has a block of unsupported type.",
    "unsupported_user_content_block": "A user message of a transcript has a block of unsupported type.",
    "assistant_item_id_missing": "An assistant item of a transcript has no id.",
    "reasoning_item_id_missing": "A reasoning item of a transcript has no id.",
    "tool_call_id_missing": "A tool call of a transcript has no id.",
    "tool_result_id_missing": "A tool result of a transcript has no id.",
    "model_response_id_missing": "A message of a transcript has no model response id.",
    "ambiguous_tool_artifact": "Several artifacts could belong to one tool call.",
    "tool_start_missing": "A tool result of a transcript has no call before it.",
    "tool_result_missing": "A tool call of a transcript has no result.",
    "tool_start_timestamp_missing": "A tool call of a transcript has no start time.",
    "tool_result_timestamp_missing": "A tool result of a transcript has no time.",
    "tool_timing_invalid": "The times of a tool call contradict each other.",
}

HERMES: Mapping[str, str] = {
    "hermes_hook_unavailable": "A Hermes hook that gives evidence was not there.",
    "hermes_observer_error": "A Hermes observer threw.",
    "duplicate_tool_call": "Hermes reported one tool call twice.",
    "reasoning_details_unavailable": "Hermes gave no details of a reasoning.",
    "model_response_id_unavailable": "Hermes gave no response id of a model call.",
}

USAGE: Mapping[str, str] = {
    "invocation_outcome_unavailable": "How the invocation ended is not known.",
    "reasoning_token_usage_unavailable": "Pi never reports reasoning tokens.",
    "cached_token_usage_unavailable": "Pi's cache counters are absent, invalid or zero.",
    "token_usage_detail_unavailable": "OpenCode's optional counters are absent, or zero by default.",
    "resolution_unavailable": "Whether the task was resolved is not stated.",
    "model_call_reference_unavailable": "A turn does not reference its model call.",
    "multimodal_history_redacted": "Image payloads were withheld from the record.",
}

MODEL_CALLS: Mapping[str, str] = {
    "model_call_ownership_unavailable": "No exact link ties captured calls to an invocation.",
    "model_call_reference_unmatched": "A reference to a model call matches no captured call.",
    "model_call_reference_ambiguous": "A reference to a model call matches several captured calls.",
    "model_call_reference_conflict": "A reference names a captured call that another invocation owns.",
    "opencode_message_call_unmatched": "A captured call names an OpenCode message that is not saved.",
    "opencode_message_call_ambiguous": "A captured call fits several saved OpenCode messages.",
    "opencode_message_call_scope_unavailable": "To which part of the run a captured OpenCode call belongs is unknown.",
    "opencode_message_call_identity_unavailable": "A captured call does not name its OpenCode message.",
    "opencode_message_call_ownership_conflict": "A captured call's OpenCode message already has another owner.",
    "model_call_capture_no_records": "Model calls were to be captured, and there are no records.",
    "model_call_capture_incomplete": "Not every model call was captured.",
    "model_call_capture_records_unreadable": "Some captured model calls are unreadable.",
    "model_call_capture_unreadable": "The capture of model calls is unreadable.",
    "model_call_capture_gap_invalid": "A gap that the capture recorded is itself invalid.",
}

TRAJECTORY: Mapping[str, str] = {
    "agent_observation_join_failed": "The agent's observations could not be joined to the row.",
    "agent_observations_invalid": "The agent's observations are invalid.",
    "producer_trajectory_invalid": "The trajectory that the agent sent is invalid.",
    "producer_trajectory_identity_mismatch": "The trajectory that the agent sent names another task or rollout; the "
    "fields were rewritten.",
    "model_calls_unavailable": "The trajectory has no model calls.",
    "turns_unavailable": "The trajectory has no turns, or OpenCode messages were skipped (the detail lists them).",
    "conversation_unavailable": "The trajectory has no conversation.",
    "turn_model_call_scope_incomplete": "The turns do not reference every call of the policy, so tokens cannot be "
    "compared.",
    "trajectory_projection_failed": "Building the trajectory threw; the raw payloads stay in the capture.",
}

GAP_CODES: Mapping[str, str] = {
    **ARTIFACTS,
    **TOOLS,
    **COMPACTIONS,
    **SUBAGENTS,
    **OPENCLAW,
    **TRANSCRIPTS,
    **HERMES,
    **USAGE,
    **MODEL_CALLS,
    **TRAJECTORY,
}
