// What the server gave the page when it drew it.
const main = document.getElementById('main')!;

/** Shows that a request comes from a page of this session. */
export const TOKEN = main.dataset['token']!;
/** The address of the icons. */
export const ICONS = main.dataset['icons']!;
/** The timezone of the workspace, in which all times are shown. */
export const ZONE = main.dataset['zone']!;

const first = JSON.parse(main.dataset['first']!) as Readonly<Record<string, unknown>>;

/** What an operation had answered when the page was drawn. */
export const firstAnswer = <T>(name: string): T => first[name] as T;
