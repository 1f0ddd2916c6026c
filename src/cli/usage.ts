type Help = Readonly<{
  command: string;
  args?: string;
  /** What it does, in a line or two. */
  does: readonly string[];
  /** Its options, and whatever else is good to know. */
  more?: readonly string[];
}>;

const WHOSE = '--email <user>   the user; without it the owner of the server';
const ON_STORE =
  'It works on the store of the server (DATA_DIR, or DATABASE_URL and MASTER_KEY), which may be running.';

/** Every command, in the order in which they are shown. */
export const HELP: readonly Help[] = Object.freeze([
  {
    command: 'serve',
    args: '[--paused]',
    does: ['run the server'],
    more: [
      '--paused   publish, send and fetch nothing, until it is started without',
      'It stops on SIGTERM, SIGHUP or Ctrl-C.',
    ],
  },
  {
    command: 'take-over',
    args: '[--publish-due] [--force]',
    does: ['end the pause of a server whose store was moved, copied or restored'],
    more: [
      'What fell due meanwhile fails, as another server may have published it; look at each, and retry what is missing.',
      '--publish-due   publish it: only where no other server worked on the store since it was copied',
      '--force         also where no server has found the store moved, or the one it comes from still runs',
      ON_STORE,
    ],
  },
  {
    command: 'backup',
    args: '<file>',
    does: ['save database, media, sandbox and settings while the server runs; - is standard output'],
    more: ['The archive does not hold the master key: keep a copy of it elsewhere.', ON_STORE],
  },
  {
    command: 'restore',
    args: '<file>',
    does: ['bring a backup into an empty DATA_DIR or database, after checking it; the server starts paused on it'],
    more: ['- is standard input. The master key is not in a backup: put it into DATA_DIR, or set it.'],
  },
  {
    command: 'doctor',
    args: '[--json] [--full]',
    does: ['check an installation beside its server, and say of each fault what to do'],
    more: [
      '--json   a list of check, verdict, found and todo',
      '--full   read the whole database',
      'The exit code is 0, 1 (warnings) or 2 (failures).',
    ],
  },
  {
    command: 'user create',
    args: '--email <address> --password-stdin [--workspace-of <user> --role <role>]',
    does: ['create a user with their own workspace, or in that of another one; prints the id'],
    more: [
      '--password-stdin        read the password (10 to 256 characters) from standard input',
      '--workspace-of <user>   the e-mail address of somebody in the workspace',
      '--role <role>           what they may do there: admin, editor or viewer',
      ON_STORE,
    ],
  },
  {
    command: 'user password',
    args: '--email <address> --password-stdin [--end-apps]',
    does: ["set a user's password and sign them out of every browser"],
    more: [
      '--password-stdin   read the password (10 to 256 characters) from standard input',
      '--end-apps         also disconnect their apps',
      ON_STORE,
    ],
  },
  {
    command: 'user list',
    does: ['show the users with role and workspace, and who owns the server or is disabled'],
    more: [ON_STORE],
  },
  {
    command: 'user role',
    args: '--email <address> --role <role>',
    does: ['give a user another role in their workspace'],
    more: [
      '--role <role>   owner, admin, editor or viewer; the former owner becomes an administrator',
      'The owner keeps that role until somebody else of the workspace gets it.',
      ON_STORE,
    ],
  },
  {
    command: 'user disable',
    args: '--email <address>',
    does: ['sign a user out, disconnect their apps and refuse their keys, within a second'],
    more: [
      'What they planned still goes out. `user enable` ends it; the owner of the server cannot be disabled.',
      ON_STORE,
    ],
  },
  {
    command: 'user enable',
    args: '--email <address>',
    does: ['let a disabled user sign in again, and use their keys'],
    more: ['Their apps have to be connected again.', ON_STORE],
  },
  {
    command: 'user owner',
    args: '--email <address>',
    does: ['make a user the owner of the server'],
    more: ['They need a password (`user password`). The former owner stays as a user.', ON_STORE],
  },
  {
    command: 'user delete',
    args: '--email <address> --yes',
    does: ['delete a user, and for an owner everything in their workspace, for good'],
    more: [
      'With an owner, the other people of the workspace are deleted, and its accounts disconnected on the platforms.',
      'Of anybody else, only sessions, apps and API keys end.',
      '--yes   that is what you want',
      ON_STORE,
    ],
  },
  { command: 'key list', args: '[--email <user>]', does: ['show the API keys'], more: [WHOSE, ON_STORE] },
  {
    command: 'key create',
    args: '--name <name> [--scopes a,b] [--brands x,y] [--email <user>]',
    does: ['create an API key; prints only the key'],
    more: [
      '--name <name>    what the key is for',
      '--scopes a,b     what it may do, such as posts:write,posts:read; without it everything',
      '--brands x,y     ids of the brands that it is for; without it all',
      WHOSE,
      ON_STORE,
    ],
  },
  {
    command: 'key revoke',
    args: '<key id> [--email <user>]',
    does: ['revoke a key for good; servers refuse it within a second'],
    more: [WHOSE, ON_STORE],
  },
  {
    command: 'session list',
    args: '[--email <user>]',
    does: ['show in how many browsers somebody is signed in'],
    more: [WHOSE, ON_STORE],
  },
  { command: 'session end', args: '--email <user>', does: ['sign a user out of every browser'], more: [ON_STORE] },
  { command: 'version', does: ['print the version'] },
  {
    command: 'reseal',
    does: ['seal every stored secret with the newest key, after another key was put before the old one'],
    more: [
      'The first key of MASTER_KEY, or of the file MASTER_KEY_FILE, is the newest. All servers must have been started',
      'with both. Afterwards the old one can be taken out.',
      ON_STORE,
    ],
  },
  {
    command: 'forget-secrets',
    args: '--yes',
    does: ['after the master key was lost: give up what it encrypted, so that the server starts with another'],
    more: [
      'Accounts have to be connected again, webhook endpoints and apps of customers created anew.',
      'Posts, users, API keys, passwords, media and history stay. The server must not run.',
      '--yes   that is what you want',
    ],
  },
  {
    command: 'token create',
    args: '--user <email>',
    does: ['create a dashboard token, valid for 15 minutes'],
    more: ['Only the server with the same ROOT_URL (or, without one, the same PORT) accepts it.', ON_STORE],
  },
  {
    command: 'mail test',
    args: '--to <address>',
    does: ['send a mail, to see whether SMTP_URL and MAIL_FROM are right'],
    more: ['It is sent at once, beside the server or without it.'],
  },
  { command: 'mcp', does: ['serve the tools over stdio, with the key in ROSTRA_API_KEY'], more: [ON_STORE] },
  {
    command: 'sandbox',
    args: '--port <port>',
    does: ['run the sandbox as a separate process'],
    more: ['Start it with PORT and ROOT_URL of the server, and the server with SANDBOX_URL.'],
  },
  {
    command: 'verify',
    args: '<platform> [--account <id>] [--page <id>] [--dry-run] [--record <folder>]',
    does: ['compare what a platform answers with what is expected of it'],
    more: [
      '--account <id>      also publish a test post, which everybody sees on some platforms, and remove it again',
      '--page <id>         of an account with several pages',
      '--dry-run           only say what would be done',
      '--record <folder>   keep the answers, without secrets',
      'The exit code is 0, 1 (differences) or 2 (it could not finish). docs/verify.md says who sees the test post.',
    ],
  },
  { command: 'generate', args: '[--check]', does: ['write (or check) the generated reference'] },
  { command: 'compile', does: ['compile the sources into the cache, as the first start does'] },
  {
    command: 'receiver',
    args: '[--port <port>] [--folder <folder>] [--secret <hex>] [--fail <n>]',
    does: ['run an HTTPS webhook receiver for local tests'],
  },
]);

const COLUMN = 44;

function shortOf({ command, args = '', does }: Help): string {
  const call = `  ${command} ${args}`.trimEnd();
  const begin = call.length < COLUMN - 1 ? call.padEnd(COLUMN) : `${call}\n${' '.repeat(COLUMN)}`;
  return begin + does.join(`\n${' '.repeat(COLUMN)}`);
}

/** All commands, each in a line. */
export const USAGE = `Usage: rostra <command>

${HELP.map(shortOf).join('\n')}

\`rostra <command> --help\` says more of one. Settings are environment variables: docs/configuration.md
`;

/** The help of the command that the arguments begin with, of all commands with that beginning, or of all. */
export function helpOf(args: readonly string[]): string {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  const exact = HELP.find(({ command }) => command === `${first} ${second}` || command === first);
  if (exact !== undefined) return textOf(exact);
  const group = HELP.filter(({ command }) => command.startsWith(`${first} `));
  return group.length === 0 ? USAGE : `Usage: rostra ${first} <command>\n\n${group.map(shortOf).join('\n')}\n`;
}

function textOf({ command, args = '', does, more = [] }: Help): string {
  const [usage, [begin = '', ...rest]] = [`Usage: rostra ${command} ${args}`.trimEnd(), does];
  const said = [begin.charAt(0).toUpperCase() + begin.slice(1), ...rest].join('\n');
  return [usage, '', `${said}.`, ...(more.length === 0 ? [] : ['', ...more]), ''].join('\n');
}
