// What the server gave the page when it drew it: to every page in the rail, to a live one its first answers too.
const given = document.querySelector<HTMLElement>('.rail')!.dataset;
const { first: answers = '{}' } = document.getElementById('main')!.dataset;

/** Proves that a request comes from a page of this session. */
export const TOKEN = given['token']!;
export const ICONS = given['icons']!;
/** Who is signed in. */
export const PERSON = given['person']!;
/** The last entry of the events log before the page was read. */
export const SINCE = given['since'];
/** The timezone of the workspace. */
export const ZONE = given['zone']!;
/** Names of the platforms by slug, in display order. */
export const TITLES: ReadonlyMap<string, string> = new Map(JSON.parse(given['titles']!) as [string, string][]);

const first = JSON.parse(answers) as Readonly<Record<string, unknown>>;

/** The answer of an operation that came with the page. */
export const firstAnswer = <T>(name: string): T => first[name] as T;
