/** A short preview: the text or, without one, the kind of the first file. */
export function previewOf(text: string, files: readonly Readonly<{ type: string }>[]): string {
  if (text !== '') return text;
  const [first] = files;
  return first === undefined ? '' : `[${first.type}]`;
}
