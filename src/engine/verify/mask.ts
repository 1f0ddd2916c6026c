import { createHmac, randomBytes } from 'node:crypto';

/** Members whose values are the platform's own words, or numbers that describe what happened. */
const WORDS =
  /(?:^|_)(?:\$?type|kind|status|state|code|reason|error|subcode|format|role|category|privacy|level|visibility|method|object|fields?|part|mode|lang|language|version|scopes?|limit|ok|success)$/i;
/** Members of an error that describe what is wrong. */
const SENTENCES = /message|msg|description|detail|title$/i;
/** What the platform's own words look like. */
const WORD = /^[\w.,:#(){}/ -]{1,300}$/;
/** Parts of ids that are common to all and identify nobody. */
const FORMS = new Set('at did plc web urn li share ugcPost activity person organization comment'.split(' '));
/** Whole numbers below this are counts; larger ones may be ids, and fractions may be locations. */
const SMALL = 10_000;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/;
const DIGITS = '0123456789';
const SMALL_LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS = SMALL_LETTERS.toUpperCase();
/** Shorter texts also occur within ordinary words, so they are not masked. */
const SHORTEST = 4;

/** Masks everything personal and secret, consistently; only the platform's own words stay. */
export function makeMask(known: ReadonlyMap<string, string>, hosts: ReadonlySet<string>) {
  const key = randomBytes(32);
  const named = [...known].filter(([text]) => text.length >= SHORTEST).toSorted(([a], [b]) => b.length - a.length);

  /** Replaces a word by another of the same form. */
  function disguised(word: string): string {
    const noise = createHmac('sha512', key).update(word).digest();
    const of = (alphabet: string, at: number) => alphabet[noise[at % noise.length]! % alphabet.length]!;
    return word.replaceAll(/./gsu, (letter, at: number) => {
      if (/\d/.test(letter)) return at === 0 && letter !== '0' ? of(DIGITS.slice(1), at) : of(DIGITS, at);
      return /\p{Lu}/u.test(letter) ? of(LETTERS, at) : of(SMALL_LETTERS, at);
    });
  }
  const scrambled = (text: string) =>
    text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => (FORMS.has(word) && /[:/]/.test(text) ? word : disguised(word)));

  /** Keeps hosts of the platform; any other may be ours, so it becomes an example. */
  const host = (name: string) =>
    hosts.has(name) ? name : `${disguised(name.replaceAll(/[^\p{L}\p{N}]/gu, ''))}.example`;

  function address(text: string): string {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) return scrambled(text);
    return `${url.protocol}//${host(url.host)}${scrambled(text.slice(text.indexOf(url.host) + url.host.length))}`;
  }

  function string(text: string, name: string): string {
    const isWord = WORDS.test(name) && WORD.test(text) && !known.has(text);
    if (text === '' || isWord || TIME.test(text)) return text;
    return /^https?:/.test(text) ? address(text) : scrambled(text);
  }

  /** Masks a value. Sentences in an `error` come from the platform, all others from people. */
  function value(given: unknown, isError = false, name = ''): unknown {
    if (typeof given === 'string') return isError && SENTENCES.test(name) ? words(given) : string(given, name);
    if (typeof given === 'number') {
      const isSafe = (Number.isInteger(given) && Math.abs(given) < SMALL) || WORDS.test(name);
      return isSafe ? given : Number(scrambled(digitsOf(given)));
    }
    if (Array.isArray(given)) return given.map((one) => value(one, isError, name));
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(
      Object.entries(given).map(([member, one]) => [memberName(member), value(one, isError, member)]),
    );
  }
  const memberName = (name: string) => (/\d{4}|[:/@]/.test(name) || name.length > 50 ? scrambled(name) : name);

  /** The platform's words, without anything about people. */
  function words(text: string): string {
    const plain = named.reduce((all, [secret, what]) => all.replaceAll(secret, `<${what}>`), text);
    return plain
      .replaceAll(/https?:\/\/\S+/g, '<address>')
      .replaceAll(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<address>')
      .replaceAll(/(["'«“`])[^"'»”`]{4,}(["'»”`])/g, '$1…$2')
      .replaceAll(/\d{5,}/g, '<number>')
      .replaceAll(/[A-Za-z0-9_-]{24,}/g, '<text>');
  }

  return Object.freeze({ value, words, host });
}

export type Mask = ReturnType<typeof makeMask>;

/** A number's digits, without an exponent. */
function digitsOf(number: number): string {
  const text = String(number);
  if (!text.includes('e')) return text;
  return Number.isInteger(number) ? BigInt(number).toString() : number.toFixed(20);
}

export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
