"""Reading rollouts: `collection.open_paths` gives `model.Rollout`s, `document.document` makes JSON of one."""
