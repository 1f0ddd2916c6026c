const ROOT = 'https://social.example.org';
const LONGEST_ID = 40;
/** A date, which the clock of the test decides, or what may be random; `body` is the part after the prefix. */
const TOKEN =
  /\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|^\d{6}$|(?<=_)\w?(?:…|\.\.\.)\w{4}$|wamid\.[\w/+=]+|(?<![\w-])(?<prefix>[a-z]{1,8}_)?(?<body>[\w-]{10,})/g;

/** What is fit to print: without secrets and the address of a test, and of each list the first item. */
export function printed(value: unknown, root: string): unknown {
  if (typeof value === 'string')
    return value.replaceAll(root, ROOT).replaceAll(/(rostra_key_|whsec_|\/join\?token=)\w+/g, '$1…');
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

/** A recording with the random parts of the one before, so that a change of an answer shows alone in the file. */
export function steady(fresh: unknown, before: unknown): unknown {
  const earlier = new Map<string, string>();
  const matched = matching(fresh, before, earlier);
  return renamed(matched, earlier);
}

/** `fresh` with the durations of `before`; fills `earlier` with the token that stood where each one stands. */
function matching(fresh: unknown, before: unknown, earlier: Map<string, string>, name = ''): unknown {
  if (typeof fresh === 'string' && typeof before === 'string') {
    const [now, then] = [tokensOf(fresh), tokensOf(before)];
    if (now.rest === then.rest) now.tokens.forEach((token, at) => earlier.set(token, then.tokens[at]!));
    return fresh;
  }
  if (typeof fresh === 'number' && name.endsWith('duration_ms')) return before ?? fresh;
  if (Array.isArray(fresh)) {
    return fresh.map((item, at) => matching(item, Array.isArray(before) ? before[at] : undefined, earlier));
  }
  if (typeof fresh !== 'object' || fresh === null) return fresh;
  const was = (typeof before === 'object' && before !== null ? before : {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(fresh).map(([key, inner]) => [key, matching(inner, was[key], earlier, key)]),
  );
}

function renamed(value: unknown, earlier: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return value.replaceAll(TOKEN, (token) => earlier.get(token) ?? token);
  if (Array.isArray(value)) return value.map((item) => renamed(item, earlier));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, renamed(inner, earlier)]));
}

/** The random parts of a text, and what is left of it. */
function tokensOf(text: string): Readonly<{ tokens: readonly string[]; rest: string }> {
  const tokens: string[] = [];
  const rest = text.replaceAll(TOKEN, (token, ...more) => {
    const { prefix = '', body } = more.at(-1) as Readonly<{ prefix?: string; body?: string }>;
    if (body === undefined ? /^\d{4}-/.test(token) : !isRandom(body)) return token;
    tokens.push(token);
    // What looks like a prefix in a signature is chance.
    return token.length > LONGEST_ID ? '*' : `${prefix}*`;
  });
  return { tokens, rest };
}

const isRandom = (body: string): boolean => /\d/.test(body) || (body.length >= 20 && /[a-z][A-Z]/.test(body));
