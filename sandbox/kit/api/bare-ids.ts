/** Writes ids as some networks do: numbers without quotes, larger than a double holds exactly. */

/** JSON text as it stands; the types of the language do not know it yet. */
const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** An id as a number without quotes. */
export const bareNumber = (digits: string): unknown => raw(digits);

const isId = (key: string, value: unknown): value is string =>
  /(?:^|_)id$/.test(key) && typeof value === 'string' && /^[1-9]\d{14,18}$/.test(value);

/** The same value with its long ids as numbers. */
export function withBareIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBareIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, isId(key, held) ? raw(held) : withBareIds(held)]),
  );
}
