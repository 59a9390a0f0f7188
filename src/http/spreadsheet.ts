/**
 * Texts in the cells of spreadsheets, which take one that begins with `=` for a formula: it may send data
 * elsewhere. An apostrophe before it makes it a text.
 */
const formula = /^(\s*[=+\-@＝＋－＠]|[\t\r])/

/** Returns the cell that shows a text. */
export const toCell = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** Returns the text that a cell shows. */
export const fromCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell
