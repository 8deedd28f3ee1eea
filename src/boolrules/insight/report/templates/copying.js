// The rules to take along: as text, as SQL, on paper.

function showCopying(report) {
  const point = () => report.facts.points[report.selected];
  offerCopy(byId("copy-text"), () => rulesText(report.facts, point()));
  offerCopy(byId("copy-sql"), () => point().sql);
  report.whenShown(({ sql }) => (byId("copy-sql").hidden = sql === null));
  byId("print").addEventListener("click", () => window.print());
}

function rulesText(facts, point) {
  return point.rule_sets
    .map((rules) => {
      const joint = rules.form === "dnf" ? "OR" : "AND";
      const lines = rules.clauses.map(({ text }, k) => `${k ? joint : "IF"} ${text}`);
      if (lines.length === 0) return `ALWAYS ${rules.otherwise}`;
      return [...lines, `THEN ${rules.then}`, `ELSE ${rules.otherwise}`].join("\n");
    })
    .join("\n\n");
}

function offerCopy(button, textOf) {
  const name = button.textContent;
  button.addEventListener("click", async () => {
    const isCopied = await copyText(textOf());
    button.textContent = isCopied ? "Copied" : "Copying is not allowed here";
    byId("status").textContent = button.textContent;
    setTimeout(() => (button.textContent = name), 2000);
  });
}

// Frames of notebooks and older browsers may not use the clipboard, but a selection can be copied.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { class: "only-heard", "aria-hidden": "true" }, text);
    const focused = document.activeElement;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return isCopied;
  }
}
