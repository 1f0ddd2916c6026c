type Cell = string | number | null;

/** Programs that open tables run texts that begin so. */
const FORMULA = /^[=+\-@\t\r]/;

function written(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows as CSV by RFC 4180, marked as UTF-8; a text that looks like a formula is a text. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `\u{feff}${rows.map((row) => row.map(written).join(',')).join('\r\n')}\r\n`;
