import { createHmac, randomBytes } from 'node:crypto';

/** Members whose values are words of the platform, and numbers that say what happened. */
const WORDS =
  /(?:^|_)(?:\$?type|kind|status|state|code|reason|error|subcode|format|role|category|privacy|level|visibility|method|object|fields?|part|mode|lang|language|version|scopes?|limit|ok|success)$/i;
/** Members of errors that say in words what is wrong. */
const SENTENCES = /message|msg|description|detail|title$/i;
/** What such words look like. */
const WORD = /^[\w.,:#(){}/ -]{1,300}$/;
/** Words that ids of some forms begin with, which say nothing of anybody. */
const FORMS = new Set('at did plc web urn li share ugcPost activity person organization comment'.split(' '));
/** Whole numbers below this one count; larger ones may name somebody, and others may be a place. */
const SMALL = 10_000;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/;
const DIGITS = '0123456789';
const SMALL_LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS = SMALL_LETTERS.toUpperCase();
/** Shorter ones stand in ordinary words. */
const SHORTEST = 4;

/**
 * Takes everything personal and secret out of what is shown. `known` are such texts by what they are called; of answers
 * nothing but the platform's own words stays, and whatever is replaced is replaced by the same each time.
 */
export function makeMask(known: ReadonlyMap<string, string>, hosts: ReadonlySet<string>) {
  const key = randomBytes(32);
  const named = [...known].filter(([text]) => text.length >= SHORTEST).toSorted(([a], [b]) => b.length - a.length);

  /** Another word of the same form. */
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

  /** A host of the platform as it is, and any other one, which may be of this server, as an example. */
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

  /** A value of a request or an answer; the sentences of an `error` are of the platform, and all others of people. */
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

  /** The words of a platform, without what they say of anybody. */
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

/** A number as its digits, without an exponent. */
function digitsOf(number: number): string {
  const text = String(number);
  if (!text.includes('e')) return text;
  return Number.isInteger(number) ? BigInt(number).toString() : number.toFixed(20);
}

/** The texts inside a value, at any depth. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
