const ROOT = 'https://social.example.org';

/** What is fit to print: without secrets and the address of a test, and of each list the first item. */
export function printed(value: unknown, root: string): unknown {
  if (typeof value === 'string') return value.replaceAll(root, ROOT).replaceAll(/(rostra_key_|whsec_)\w+/g, '$1…');
  if (Array.isArray(value)) {
    const isRecords = typeof value[0] === 'object';
    return (isRecords ? value.slice(0, 1) : value.slice(0, 5)).map((item) => printed(item, root));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, printed(inner, root)]));
}

/** The names and types of a value, not what it is. */
export function outline(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(outline);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, outline(inner)]));
}
