/** What is shown of something somebody said where there is little room: its words, else what kind of file it is. */
export function previewOf(text: string, files: readonly Readonly<{ type: string }>[]): string {
  if (text !== '') return text;
  const [first] = files;
  return first === undefined ? '' : `[${first.type}]`;
}
