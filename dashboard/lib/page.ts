// Data from the server: for every page in the navigation, and for live pages also their first results.
const given = document.querySelector<HTMLElement>('.rail')!.dataset;
const { first: answers = '{}' } = document.getElementById('main')!.dataset;

/** Proves that a request comes from a page of this session. */
export const pageToken = (): string => given['token']!;
/** Replaces the token, in forms as well, after another sign-in. */
export function renewToken(token: string): void {
  given['token'] = token;
  for (const field of document.querySelectorAll<HTMLInputElement>('[name=form_token]')) field.value = token;
}
export const ICONS = given['icons']!;
/** The user id of the signed-in person. */
export const PERSON = given['person']!;
/** The operations that this person's role does not allow. */
export const DENIED: ReadonlySet<string> = new Set(JSON.parse(given['denied'] ?? '[]') as string[]);
/** The last entry of the events log before the page was read. */
export const SINCE = given['since'];
/** The timezone of the workspace. */
export const ZONE = given['zone']!;
/** The names of the platforms by slug, in display order. */
export const TITLES: ReadonlyMap<string, string> = new Map(JSON.parse(given['titles']!) as [string, string][]);

const first = JSON.parse(answers) as Readonly<Record<string, unknown>>;

/** The result of an operation that came with the page. */
export const firstAnswer = <T>(name: string): T => first[name] as T;
