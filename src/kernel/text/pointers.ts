/** All fields named `text` in an input, by JSON pointer. */
export function textsIn(input: unknown, at = ''): readonly (readonly [pointer: string, text: string])[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    const pointer = `${at}/${name}`;
    if (name === 'text' && typeof value === 'string') return [[pointer, value] as const];
    return textsIn(value, pointer);
  });
}
