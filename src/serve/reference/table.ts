export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) => `| ${cells.map((cell) => cellOf(cell)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

function cellOf(value: unknown): string {
  return String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
}
