// What is odd about columns of the table, and what parts of dates are.

function showNotes({ facts }) {
  if (!facts.notes.length) {
    byId("notes").remove();
    byId("to-notes").remove();
    return;
  }
  byId("note-list").replaceChildren(
    h(
      "ul",
      {},
      facts.notes.map((note) => h("li", {}, `${note}.`)),
    ),
  );
}
