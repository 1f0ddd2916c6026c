import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { limitHeap } from '#kernel/limits/heap.ts';
import { readConfig } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { tableOf } from '#kernel/text/table.ts';
import { helpOf, USAGE } from '#cli/usage.ts';

type Command = (args: readonly string[]) => Promise<void>;

const COMMANDS: ReadonlyMap<string, Command> = tableOf({
  serve: async (args) => {
    const { values } = parseArgs({ args: [...args], options: { paused: { type: 'boolean' } } });
    limitHeap();
    await (await import('#cli/serve.ts')).serve(values);
  },
  'take-over': async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: { 'publish-due': { type: 'boolean' }, force: { type: 'boolean' } },
    });
    await (await import('#cli/take-over.ts')).endPause(values);
  },
  backup: async (args) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    await (await import('#cli/backup.ts')).backUp(oneOf('backup', positionals));
  },
  restore: async (args) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
    await (await import('#cli/restore.ts')).restore(oneOf('restore', positionals));
  },
  doctor: async (args) => (await import('#cli/doctor/index.ts')).doctor(args),
  'user create': async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        email: { type: 'string' },
        password: { type: 'string' },
        'password-stdin': { type: 'boolean' },
        'workspace-of': { type: 'string' },
        role: { type: 'string' },
      },
    });
    await (await import('#cli/users/create.ts')).createUser(values);
  },
  'user password': async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: { email: { type: 'string' }, 'password-stdin': { type: 'boolean' }, 'end-apps': { type: 'boolean' } },
    });
    await (await import('#cli/users/create.ts')).setPassword(values);
  },
  'key create': async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        name: { type: 'string' },
        scopes: { type: 'string' },
        brands: { type: 'string' },
        email: { type: 'string' },
      },
    });
    await (await import('#cli/key.ts')).createKey(values);
  },
  'user list': async (args) => {
    parseArgs({ args: [...args] });
    await (await import('#cli/users/access.ts')).printUsers();
  },
  'user role': async (args) => {
    const options = { email: { type: 'string' }, role: { type: 'string' } } as const;
    await (await import('#cli/users/standing.ts')).changeRole(parseArgs({ args: [...args], options }).values);
  },
  'user disable': async (args) => (await import('#cli/users/standing.ts')).disable(parseArgs(whose(args)).values),
  'user enable': async (args) => (await import('#cli/users/standing.ts')).enable(parseArgs(whose(args)).values),
  'user owner': async (args) => (await import('#cli/users/standing.ts')).own(parseArgs(whose(args)).values),
  'user delete': async (args) => {
    const options = { email: { type: 'string' }, yes: { type: 'boolean' } } as const;
    await (await import('#cli/users/standing.ts')).remove(parseArgs({ args: [...args], options }).values);
  },
  'key list': async (args) => (await import('#cli/users/access.ts')).printKeys(parseArgs(whose(args)).values),
  'key revoke': async (args) => {
    const { values, positionals } = parseArgs({ ...whose(args), allowPositionals: true });
    await (await import('#cli/users/access.ts')).revokeKey(oneOf('key revoke', positionals), values);
  },
  'session list': async (args) => (await import('#cli/users/access.ts')).printSessions(parseArgs(whose(args)).values),
  'session end': async (args) => (await import('#cli/users/access.ts')).endSessions(parseArgs(whose(args)).values),
  version: async () => void process.stdout.write(`${(await import('#compose/package.ts')).version}\n`),
  'forget-secrets': async (args) => {
    const { values } = parseArgs({ args: [...args], options: { yes: { type: 'boolean' } } });
    await (await import('#cli/forget-secrets.ts')).forgetSecrets(values);
  },
  reseal: async (args) => {
    parseArgs({ args: [...args] });
    await (await import('#cli/reseal.ts')).reseal();
  },
  'token create': async (args) => {
    const { values } = parseArgs({ args: [...args], options: { user: { type: 'string' } } });
    await (await import('#cli/token.ts')).createToken(values);
  },
  'mail test': async (args) => {
    const { values } = parseArgs({ args: [...args], options: { to: { type: 'string' } } });
    await (await import('#cli/mail.ts')).sendTestMail(values);
  },
  mcp: async (args) => {
    parseArgs({ args: [...args] });
    await (await import('#cli/mcp.ts')).serveMcp();
  },
  sandbox: async (args) => {
    const { values } = parseArgs({ args: [...args], options: { port: { type: 'string', default: '0' } } });
    await (await import('#cli/sandbox.ts')).serveSandbox(values.port);
  },
  verify: async (args) => (await import('#cli/verify.ts')).verify(args),
  receiver: async (args) => (await import('./receiver.ts')).runReceiver(args),
  generate: async (args) => {
    const { values } = parseArgs({ args: [...args], options: { check: { type: 'boolean', default: false } } });
    await (await import('#cli/generate.ts')).generateAll(values);
  },
  compile: async (args) => {
    parseArgs({ args: [...args] });
    // As in the server: compiled code is reused only with the same V8 flags.
    limitHeap();
    await (await import('#cli/compile.ts')).compileProgram();
  },
});

/** The arguments of commands that concern one user, or the owner. */
function whose(args: readonly string[]) {
  return { args: [...args], options: { email: { type: 'string' } } } as const;
}

/** The only argument of a command. */
function oneOf(name: string, positionals: readonly string[]): string | undefined {
  if (positionals.length > 1) throw new ConfigError(`${name} takes one argument`);
  return positionals[0];
}

/** Runs a command; a fixable error is one line on stderr, any other shows its stack. */
async function main(args: readonly string[]): Promise<void> {
  const isHelp = args[0] === 'help';
  // The receiver has its own usage.
  const wantsHelp = isHelp || (args[0] !== 'receiver' && args.some((arg) => arg === '--help' || arg === '-h'));
  if (args.length === 0 || wantsHelp) {
    process.stdout.write(helpOf(isHelp ? args.slice(1) : args));
    return;
  }
  if (args[0] === '--version') {
    process.stdout.write(`${(await import('#compose/package.ts')).version}\n`);
    return;
  }
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((candidate) => COMMANDS.has(candidate));
  if (name === undefined) {
    process.stderr.write(`rostra: ${whyUnknown(args)}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  try {
    await COMMANDS.get(name)!(args.slice(name.split(' ').length));
  } catch (error) {
    const { message } = error as Error;
    const full = withCode(error, DISK);
    if (withCode(error, DAMAGE) !== undefined)
      process.stderr.write(`rostra: DATA_DIR ${readConfig([]).dataDir}: ${DAMAGED} (${message})\n`);
    else if (full !== undefined) process.stderr.write(`rostra: ${placeOf(full, message)}${message}\n`);
    else if (isFixable(error)) process.stderr.write(`rostra: ${message}\n`);
    else process.stderr.write(`${inspect(error)}\n`);
    // A command with special exit codes has set one.
    process.exit(process.exitCode ?? 1);
  }
}

function whyUnknown([first = '', second = '']: readonly string[]): string {
  const subcommands = [...COMMANDS.keys()].filter((name) => name.startsWith(`${first} `));
  if (subcommands.length === 0) return `unknown command ${first}`;
  const what = second === '' || second.startsWith('-') ? 'missing subcommand' : `unknown command ${first} ${second}`;
  return `${what}; try ${subcommands.map((name) => `\`${name}\``).join(' or ')}`;
}

const DISK = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|SQLITE_(FULL|IOERR|READONLY|CANTOPEN)(_\w+)?)$/;

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)(_\w+)?$/;
const DAMAGED = 'the database file is damaged; restore a copy of it (docs/running.md, "Restoring")';

/** Where a disk fails, unless the message says so; without a path it is DATA_DIR, as `backup` names its target itself. */
function placeOf({ path }: NodeJS.ErrnoException, message: string): string {
  const place = path ?? `DATA_DIR ${readConfig([]).dataDir}`;
  return message.includes(place) ? '' : `${place}: `;
}

/** The error, or the cause of it, with such a code: a full, failing or closed disk, or a damaged database. */
function withCode(error: unknown, codes: RegExp): NodeJS.ErrnoException | undefined {
  if (!(error instanceof Error)) return undefined;
  return codes.test((error as NodeJS.ErrnoException).code ?? '') ? error : withCode(error.cause, codes);
}

/** Whether the operator can fix it: settings, data or arguments. Anything else is a bug. */
function isFixable(error: unknown): boolean {
  if (error instanceof ConfigError) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return (
    error.name === 'StoreError' ||
    error.name === 'SealError' ||
    code.startsWith('ERR_PARSE_ARGS') ||
    /^E[A-Z]+$/.test(code)
  );
}

// Compiling dominates a start, and from the sources stripping types; the cache keeps the results.
const { dirname, filename } = import.meta;
enableCompileCache(join(dirname, '..', filename.endsWith('.ts') ? '.runtime' : '', 'compile-cache'));

await main(process.argv.slice(2));
