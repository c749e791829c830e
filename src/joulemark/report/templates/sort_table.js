"use strict";
// Sorts the table of a heading's button by its column; again, the other way round.
function sortTable(button) {
  const heading = button.parentElement;
  const body = heading.closest("table").tBodies[0];
  heading.closest(".folded")?.querySelector("details").setAttribute("open", ""); // sort all rows
  const column = [...heading.parentElement.children].indexOf(heading);
  const down = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const key = (row) => row.children[column].dataset.key ?? row.children[column].textContent.trim();
  const missing = (text) => text === "" || text === "-";
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (missing(x) || missing(y)) return missing(x) - missing(y); // without a figure: last
    const both = Number(x) - Number(y);
    return down * (Number.isNaN(both) ? x.localeCompare(y) : both);
  };
  body.append(...[...body.rows].sort(compare));
  for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down > 0 ? "ascending" : "descending");
}
// Without this script there are no buttons that do nothing.
for (const heading of document.querySelectorAll(".sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...[...heading.childNodes].filter((node) => node.className !== "evidence"));
  heading.prepend(button);
  button.addEventListener("click", () => sortTable(button));
}
