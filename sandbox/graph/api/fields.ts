import { GraphError } from './errors.ts';

export type Args = Readonly<Record<string, string>>;

/** A field that a call requests, with its `.modifiers(…)` and subfields. */
type Wanted = Readonly<{ name: string; as: string; args: Args; below: Selection | undefined }>;
export type Selection = readonly Wanted[];

const LONGEST = 8000;
const DEEPEST = 8;

/** Parses `a,b{c,d},e.limit(10).summary(true)`. */
export function readFields(text: string): Selection {
  const broken = () =>
    new GraphError(2500, `Syntax error "Unexpected end of string." at character ${at}: ${text.slice(0, 200)}`);
  let at = 0;
  if (text.length > LONGEST) throw broken();

  function word(): string {
    const found = /^[\w-]+/.exec(text.slice(at))?.[0] ?? '';
    at += found.length;
    if (found === '') throw broken();
    return found;
  }
  function takes(character: string): boolean {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }
  function argument(): string {
    if (!takes('(')) throw broken();
    const end = text.indexOf(')', at);
    if (end < 0) throw broken();
    const value = text.slice(at, end);
    at = end + 1;
    return value.trim();
  }
  function list(depth: number): Selection {
    if (depth > DEEPEST) throw broken();
    const wanted: Wanted[] = [];
    do {
      skip();
      // Accept a trailing comma.
      if (at >= text.length || text[at] === '}') break;
      const name = word();
      const args: Record<string, string> = {};
      while (takes('.')) args[word()] = argument();
      const below = takes('{') ? list(depth + 1) : undefined;
      if (below !== undefined && !takes('}')) throw broken();
      skip();
      wanted.push({ name, as: args['as'] ?? name, args, below });
    } while (takes(','));
    return wanted;
  }
  function skip(): void {
    while (/\s/.test(text[at] ?? '')) at += 1;
  }

  const selection = list(0);
  if (at < text.length) throw broken();
  return selection;
}

export function writeFields(selection: Selection): string {
  return selection
    .map(({ name, args, below }) => {
      const modifiers = Object.entries(args).map(([key, value]) => `.${key}(${value})`);
      return `${name}${modifiers.join('')}${below === undefined ? '' : `{${writeFields(below)}}`}`;
    })
    .join(',');
}
