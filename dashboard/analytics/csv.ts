type Cell = string | number | null;

/** Spreadsheet programs run texts that begin with these characters as formulas. */
const FORMULA = /^[=+\-@\t\r]/;

function written(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows as CSV (RFC 4180), marked as UTF-8. Texts that look like formulas are escaped. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `\u{feff}${rows.map((row) => row.map(written).join(',')).join('\r\n')}\r\n`;
