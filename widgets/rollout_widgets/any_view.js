// The front end of AnyRolloutView. Python made and escaped the page; it is the only HTML that is set here.
// Every other word goes in as text, and every wish goes back as a message: {do, value}.

const KEYS = "keys: h l turn · 1 2 3 lens · / search · n next match";
const UNTYPESET = "mathjax_ignore tex2jax_ignore";
const LOOK = {
  root: "font-size:var(--jp-ui-font-size1,14px);line-height:1.5;padding:2px;color:var(--jp-content-font-color1,inherit)",
  row: "display:flex;flex-wrap:wrap;gap:.3em .8em;align-items:center;margin:.2em 0",
  page: "overflow-wrap:break-word",
  // marimo takes the looks of native controls away.
  control: "font:inherit;max-width:100%;box-sizing:border-box;border:1px solid rgba(127,127,127,.6);border-radius:3px;padding:.1em .4em",
};

function element(tag, properties = {}, style = LOOK.control) {
  const made = document.createElement(tag);
  made.style.cssText = style;
  return Object.assign(made, properties);
}

function labelled(name, control) {
  const label = element("label", {}, "max-width:100%");
  label.append(`${name} `, control);
  return label;
}

function picker(name, wish) {
  const select = element("select", { ariaLabel: name });
  select.addEventListener("change", () => wish(name, select.selectedIndex));
  const show = ({ labels, at, fixed = false }) => {
    select.replaceChildren(...labels.map((label) => element("option", { textContent: label }, "")));
    select.selectedIndex = at;
    select.disabled = fixed;
  };
  return { node: labelled(name, select), show };
}

function buttons(name, wish) {
  const group = element("span", { role: "group", ariaLabel: name }, LOOK.row);
  const show = ({ labels, at, why = [] }) => {
    while (group.children.length < labels.length) {
      const index = group.children.length;
      group.append(element("button", { type: "button", onclick: () => wish(name, index) }));
    }
    labels.forEach((label, index) => {
      const button = group.children[index];
      button.textContent = label;
      button.title = why[index] ?? "";
      button.ariaPressed = String(index === at);
      button.style.fontWeight = index === at ? "bold" : "normal";
      button.style.textDecoration = index === at ? "underline" : "none";
    });
  };
  return { node: group, show };
}

function field(name, label, hint, wish) {
  const input = element("input", { type: "text", placeholder: hint, size: 30, ariaLabel: label });
  let typing = false;
  input.addEventListener("input", () => { typing = true; });
  input.addEventListener("change", () => {
    typing = false;
    wish(name, input.value);
  });
  // Enter hands the keys back to the view: what comes next is `n`, not more text.
  input.addEventListener("keydown", (event) => event.key === "Enter" && input.closest("[role=region]").focus());
  const show = (text) => { if (!typing) input.value = text; };
  return { input, node: labelled(label, input), show };
}

function button(label, title, action) {
  return element("button", { type: "button", textContent: label, title, onclick: action });
}

function toolbar(wish) {
  const chosen = {
    rollout: picker("rollout", wish),
    panel: buttons("panel", wish),
    lens: buttons("lens", wish),
    conversation: picker("conversation", wish),
    folds: picker("folds", wish),
  };
  const filter = field("filter", "filter", "reward<1 finding:empty-final-answer", wish);
  const search = field("query", "search", "text anywhere in this rollout", wish);
  const turn = element("input", { type: "number", min: 1, ariaLabel: "turn" }, `${LOOK.control};width:6em`);
  turn.addEventListener("change", () => Number.isInteger(turn.valueAsNumber) && wish("turn", turn.valueAsNumber));
  const moves = {
    earlier: button("◀ earlier", "the page before", () => wish("earlier")),
    later: button("later ▶", "the next page", () => wish("later")),
    next: button("next match", "go to the next match (n)", () => wish("next")),
  };
  const turns = element("span", {}, "");
  const row = (...nodes) => {
    const made = element("div", {}, LOOK.row);
    made.append(...nodes);
    return made;
  };
  const rows = [
    row(chosen.rollout.node, filter.node),
    row(chosen.panel.node),
    row(chosen.lens.node, chosen.conversation.node, chosen.folds.node),
    row(moves.earlier, labelled("turn", turn), turns, moves.later, search.node, moves.next),
    row(element("small", { textContent: KEYS }, "opacity:.75")),
  ];
  const show = (shown) => {
    for (const [name, control] of Object.entries(chosen)) control.show(shown.choices[name]);
    chosen.conversation.node.style.display = shown.choices.conversation.labels.length < 2 ? "none" : "";
    filter.show(shown.texts.filter);
    search.show(shown.texts.query);
    turn.value = shown.turn ?? "";
    turn.max = shown.turns;
    turn.disabled = shown.turns === 0;
    turns.textContent = `of ${shown.turns}`;
    for (const [name, move] of Object.entries(moves)) move.disabled = !shown.may[name];
  };
  return { rows, show, search: search.input };
}

// A link leads to an element of this page, or to a place that Python knows by its id. A page inside a shadow root, and
// two views of one rollout, leave the browser no way to tell by itself.
function follow(event, page, wish) {
  const link = event.target.closest("a[href]");
  if (link === null) return;
  event.preventDefault();
  const ident = link.getAttribute("href").slice(1);
  const target = [...page.querySelectorAll("[id]")].find((one) => one.id === ident);
  if (target === undefined) {
    wish("jump", ident);
    return;
  }
  for (let one = target; one !== page; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest" });
}

function pressed(event, bar, wish) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  const doing = {
    h: () => wish("step", 0),
    l: () => wish("step", 1),
    1: () => wish("lens", 0),
    2: () => wish("lens", 1),
    3: () => wish("lens", 2),
    n: () => wish("next"),
    "/": () => bar.search.select(),
  }[event.key];
  if (doing === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  doing();
}

function render({ model, el }) {
  const wish = (name, value = null) => model.send({ do: name, value });
  const bar = toolbar(wish);
  const status = element("p", { role: "status" }, "margin:.2em 0;overflow-wrap:anywhere");
  const page = element("div", { tabIndex: -1, className: "rollout-page" }, LOOK.page);
  const root = element("div", { tabIndex: 0, role: "region", className: UNTYPESET, ariaLabel: `rollouts; ${KEYS}` }, LOOK.root);
  // A stray letter pressed in here must not delete the notebook's cell.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.append(...bar.rows, status, page);
  let drawn = null;

  const draw = () => {
    const shown = model.get("shown");
    bar.show(shown);
    status.textContent = shown.status;
    page.style.maxHeight = shown.height ?? "";
    page.style.overflow = shown.height === null ? "" : "auto";
    if (shown.page === drawn) return;
    const inside = page.contains(page.getRootNode().activeElement);
    page.innerHTML = drawn = shown.page;
    for (const link of page.querySelectorAll("a")) link.style.textDecoration = "underline";
    page.scrollTop = 0;
    // What had the focus is gone with its page; the keys should go on working.
    if (inside) page.focus({ preventScroll: true });
  };
  const changed = () => {
    draw();
    // marimo runs the cells that use the view again when the front end changes a trait, not when Python does.
    model.set("seen", model.get("shown").number);
    model.save_changes();
  };
  root.addEventListener("keydown", (event) => pressed(event, bar, wish));
  page.addEventListener("click", (event) => follow(event, page, wish));
  model.on("change:shown", changed);
  draw();
  el.append(root);
  return () => model.off("change:shown", changed);
}

export default { render };
