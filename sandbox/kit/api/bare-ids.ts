/** Writes ids that are too large for a double as JSON numbers, as some networks do. */

/** TypeScript's types do not include `rawJSON` yet. */
const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

export const bareNumber = (digits: string): unknown => raw(digits);

const isId = (key: string, value: unknown): value is string =>
  /(?:^|_)id$/.test(key) && typeof value === 'string' && /^[1-9]\d{14,18}$/.test(value);

export function withBareIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBareIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, isId(key, held) ? raw(held) : withBareIds(held)]),
  );
}
