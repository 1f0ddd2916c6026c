/** A response as JSON, and that JSON as a quoted string within another JSON text. */
type Texts = Readonly<{ json: string; quoted: string }>;

const texts = new WeakMap<object, Texts>();

/** Freezes a response that is the same for every call, so that it is serialized only once. */
export function prepared<T extends object>(answer: T): T {
  const json = JSON.stringify(freeze(answer));
  texts.set(answer, { json, quoted: JSON.stringify(json) });
  return answer;
}

export const isPrepared = (answer: object): boolean => texts.has(answer);

export const jsonOf = (answer: object): string => texts.get(answer)?.json ?? JSON.stringify(answer);

export function quotedJsonOf(answer: object): Texts {
  const known = texts.get(answer);
  if (known !== undefined) return known;
  const json = JSON.stringify(answer);
  return { json, quoted: JSON.stringify(json) };
}

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value) as unknown[]) {
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  return Object.freeze(value);
}
