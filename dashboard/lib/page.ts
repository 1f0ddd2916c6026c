// What the server gave the page when it drew it: to every page in the rail, to a live one its first answers too.
const given = document.querySelector<HTMLElement>('.rail')!.dataset;
const { first: answers = '{}' } = document.getElementById('main')!.dataset;

/** Shows that a request comes from a page of this session. */
export const TOKEN = given['token']!;
/** The address of the icons. */
export const ICONS = given['icons']!;
/** The timezone of the workspace, in which all times are shown. */
export const ZONE = given['zone']!;
/** The names of the platforms, by slug, in the order in which they are listed. */
export const TITLES: ReadonlyMap<string, string> = new Map(JSON.parse(given['titles']!) as [string, string][]);

const first = JSON.parse(answers) as Readonly<Record<string, unknown>>;

/** What an operation had answered when the page was drawn. */
export const firstAnswer = <T>(name: string): T => first[name] as T;
