import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { limitHeap } from './cli/heap.ts';
import { ConfigError, readConfig } from './kernel/config/config.ts';

type Command = (args: readonly string[]) => Promise<void>;

const USAGE = `Usage: rostra <command>

  serve                                     run the server
  user create --email <address> --password-stdin
                                            make a user with a workspace of their own
  user password --email <address> --password-stdin [--end-apps]
                                            set a user's password, sign them out of every browser, and with
                                            --end-apps end the apps they connected
  key create --name <name> [--scopes a,b] [--brands x,y] [--email <user>]
                                            print a new API key, alone on stdout
  reseal                                    seal every stored secret with the newest key of MASTER_KEY
  token create --user <email>               print a dashboard token, good for 15 minutes
  mcp                                       serve the tools over stdio, with the key in ROSTRA_API_KEY
  sandbox --port <port>                     run the stand-in platforms as a process of their own
  generate [--check]                        write (or compare) the generated reference
  receiver [--port <port>] [--secret <hex>] run an HTTPS webhook receiver for trying things out

Settings are environment variables: docs/configuration.md
`;

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: async (args) => {
    parseArgs({ args: [...args] });
    limitHeap();
    await (await import('./cli/serve.ts')).serve();
  },
  'user create': async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: { email: { type: 'string' }, password: { type: 'string' }, 'password-stdin': { type: 'boolean' } },
    });
    await (await import('./cli/user.ts')).createUser(values);
  },
  'user password': async (args) => {
    const { values } = parseArgs({
      args: [...args],
      options: { email: { type: 'string' }, 'password-stdin': { type: 'boolean' }, 'end-apps': { type: 'boolean' } },
    });
    await (await import('./cli/user.ts')).setPassword(values);
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
    await (await import('./cli/key.ts')).createKey(values);
  },
  reseal: async (args) => {
    parseArgs({ args: [...args] });
    await (await import('./cli/reseal.ts')).reseal();
  },
  'token create': async (args) => {
    const { values } = parseArgs({ args: [...args], options: { user: { type: 'string' } } });
    await (await import('./cli/token.ts')).createToken(values);
  },
  mcp: async (args) => {
    parseArgs({ args: [...args] });
    await (await import('./cli/mcp.ts')).serveMcp();
  },
  sandbox: async (args) => {
    const { values } = parseArgs({ args: [...args], options: { port: { type: 'string', default: '0' } } });
    await (await import('./cli/sandbox.ts')).serveSandbox(values.port);
  },
  receiver: async (args) => (await import('./receiver.ts')).runReceiver(args),
  generate: async (args) => {
    const { values } = parseArgs({ args: [...args], options: { check: { type: 'boolean', default: false } } });
    await (await import('./cli/generate.ts')).generateAll(values);
  },
};

/** Runs the command that the arguments name; what the operator can mend is one line on stderr. */
async function main(args: readonly string[]): Promise<void> {
  // The receiver has a usage of its own.
  const wantsHelp = args[0] !== 'receiver' && args.some((arg) => arg === '--help' || arg === '-h');
  if (args.length === 0 || args[0] === 'help' || wantsHelp) {
    process.stdout.write(USAGE);
    return;
  }
  if (args[0] === '--version') {
    process.stdout.write(`${(await import('./compose/package.ts')).version}\n`);
    return;
  }
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((candidate) => Object.hasOwn(COMMANDS, candidate));
  if (name === undefined) {
    process.stderr.write(`rostra: there is no command ${args.slice(0, 2).join(' ')}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  try {
    await COMMANDS[name]!(args.slice(name.split(' ').length));
  } catch (error) {
    const { message } = error as Error;
    if (isOfDisk(error)) process.stderr.write(`rostra: DATA_DIR ${readConfig([]).dataDir}: ${message}\n`);
    else if (isMendable(error)) process.stderr.write(`rostra: ${message}\n`);
    else throw error;
    process.exit(1);
  }
}

const DISK = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|SQLITE_(FULL|IOERR|READONLY)(_\w+)?)$/;

/** A full or failing disk shows wherever something is written first; the folder is what the operator has to look at. */
function isOfDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return DISK.test((error as NodeJS.ErrnoException).code ?? '') || isOfDisk(error.cause);
}

/** Settings, data and arguments that the operator can put right; everything else is a bug and shows its stack. */
function isMendable(error: unknown): boolean {
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

// Stripping types takes most of a start from the sources; the cache keeps its results, and the launcher's folder is ours alone.
const { dirname, filename } = import.meta;
if (filename.endsWith('.ts')) enableCompileCache(join(dirname, '..', '.runtime', 'compile-cache'));

await main(process.argv.slice(2));
