import { describe, expect, it } from 'vitest';
import { sources } from './source.ts';

/** Private words of earlier versions, and the standard term to use instead. */
const STANDARD: Readonly<Record<string, string>> = {
  told: 'reported or notified',
  tells: 'reports',
  news: 'activity or updates',
  fact: 'inbound event or field',
  facts: 'inbound events or fields',
  demand: 'data-deletion request',
  demands: 'data-deletion requests',
  wish: 'command or request',
  errand: 'task',
  errands: 'tasks',
  deed: 'action',
  deeds: 'actions',
  landing: 'OAuth callback',
  adopt: 'import external',
  adopting: 'importing external',
  adopted: 'imported',
  welcome: 'onboard',
  heart: 'poller',
  hearts: 'pollers',
  crew: 'worker pool',
  reach: 'authority or access scope',
  rooms: 'modules',
  patience: 'retry policy',
  finding: 'lookup',
  asking: 'request',
  acting: 'account call',
  lane: 'endpoint queue or page cursor',
  lanes: 'endpoint queues or page cursors',
  setback: 'failure',
  spot: 'reference',
  doors: 'throttle',
  stumble: 'handle the failure',
  insist: 'retry',
  untold: 'not yet listed',
  stock: 'review page',
  stocks: 'review pages',
  shelf: 'catalogue',
  asker: 'requester',
  askers: 'requesters',
  unasked: 'not requested',
  stray: 'orphan or unknown',
  strays: 'orphans',
  stranded: 'orphaned',
  sought: 'wanted',
  strangers: 'unknown senders or untrusted text',
  heard: 'received',
  beside: 'with, included or extra',
  shaken: 'handshake done',
  outgrown: 'over the limit',
};

/** Whole identifiers that once had several meanings each. */
const WHOLE: Readonly<Record<string, string>> = {
  Outcome: 'a name that says of what: InvocationResult, DeliveryResult',
  pageOf: 'a name that says which page: listPage, facebookPage',
  Place: 'a name that says which place',
  Deps: 'a name that says whose dependencies they are',
  Bare: 'UnauthenticatedCall',
  Room: 'a name that says what it is',
};

/** Names that must stay, as rows on disk carry them: files, the name, and where it is stored. */
const STORED: readonly Readonly<{ files: RegExp; name: string; as: string }>[] = [
  {
    files: /^(db\/(migrations|schema|store)\/|src\/engine\/(accounts|inbox|migrations)\/)/,
    name: 'facts',
    as: 'column of pages',
  },
  {
    files: /^(db\/(schema\/pushes|inbox\/purge)\.ts|src\/engine\/inbox\/erase\/)/,
    name: 'told',
    as: 'JSON key of pushes',
  },
  { files: /^src\/engine\/inbox\//, name: 'welcome_account', as: 'kind of jobs' },
  { files: /^sandbox\/whatsapp\//, name: 'request_welcome', as: "type of WhatsApp's webhooks" },
  { files: /^src\/platforms\/bluesky\/inbox\/inbox\.ts$/, name: 'news', as: 'JSON key of poll cursors' },
];

const IDENTIFIER = /(?<![\w$'"`-])[A-Za-z_$][\w$]*/g;

/** The words of an identifier: `toldAtOnce` has told, at and once. */
function wordsOf(identifier: string): readonly string[] {
  return identifier
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_$]+/)
    .map((word) => word.toLowerCase());
}

/** Code without the texts in it: what stays are identifiers and keywords. */
function withoutTexts(code: string): string {
  return code.replaceAll(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g, (text) =>
    text.replaceAll(/[^\n]/g, ' '),
  );
}

/** Private words among the identifiers of a file, as sentences that say what to do. */
function strangeWords(path: string, code: string): readonly string[] {
  return withoutTexts(code)
    .split('\n')
    .flatMap((line, at) =>
      [...line.matchAll(IDENTIFIER)].flatMap(([identifier]) => {
        if (STORED.some(({ files, name }) => name === identifier && files.test(path))) return [];
        const whole = Object.hasOwn(WHOLE, identifier) ? [WHOLE[identifier]!] : [];
        const parts = wordsOf(identifier).flatMap((word) => (Object.hasOwn(STANDARD, word) ? [STANDARD[word]!] : []));
        return [...whole, ...parts].map(
          (term) => `${path}:${at + 1}: rename ${identifier}; the standard term is ${term}`,
        );
      }),
    );
}

describe('words', () => {
  it('of identifiers and file names are the standard ones of the field', () => {
    expect(sources.flatMap(({ path, code }) => strangeWords(path, code))).toEqual([]);
    const files = sources.flatMap(({ path }) =>
      wordsOf(path.replaceAll(/[/.-]/g, ' ')).flatMap((word) =>
        Object.hasOwn(STANDARD, word) ? [`rename ${path}; the standard term is ${STANDARD[word]}`] : [],
      ),
    );
    expect(files).toEqual([]);
  });

  it('are looked for in identifiers, not in texts', () => {
    expect(strangeWords('a.ts', "const toldOnce = 'told';\nmakeRooms(`deed`);")).toEqual([
      'a.ts:1: rename toldOnce; the standard term is reported or notified',
      'a.ts:2: rename makeRooms; the standard term is modules',
    ]);
  });
});
