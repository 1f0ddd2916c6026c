import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { readFile } from 'node:fs/promises';
import { countSandboxAccounts } from '#db/access/accounts.ts';
import { anyKeyUsed } from '#db/access/keys.ts';
import { currentWorkspace, findOwner } from '#db/access/users.ts';
import { authorityOver, type Workspace } from '#kernel/authority.ts';
import type { Product } from '#compose/index.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Log } from '#kernel/log.ts';

const OWNER = 'owner@localhost';
const SET_UP = '  Set up     ';
const fileOf = ({ dataDir }: Config) => join(dataDir, 'first-run.txt');

/** The lines that a start prints. The first start also creates the owner, an API key and an example command. */
export async function firstStart(config: Config, product: Product, log: Log): Promise<readonly string[]> {
  const where = [
    `Rostra is running.`,
    `  Dashboard  ${config.rootUrl}/`,
    `  MCP        ${config.rootUrl}/mcp`,
    `  REST       ${config.rootUrl}/v1`,
    ...(await sandboxLines(config, product)),
    ...pausedLines(product),
  ];
  const owner = await makeOwner(product);
  const setUp = await product.signin.setupLink();
  const link = setUp === undefined ? [] : [`${SET_UP}${config.rootUrl}/setup?token=${setUp}`];
  if (owner === undefined) {
    return [...where, ...(await unusedHint(config, product)), ...setUpLines(config, where, link)];
  }
  const example = await makeExample(config, product, owner).catch((error: unknown) => {
    // The key is shown only once, so it is printed even if there is no example.
    log.error({ error }, 'example not created');
    return undefined;
  });
  const secret = [
    ...link,
    `  API key    ${owner.key}`,
    ...(example === undefined ? [] : ['', 'Publish your first post, with a picture, to a sandbox account:', example]),
  ];
  if (process.stdout.isTTY) return [...where, ...secret];
  // Standard output may end up in a log file, and keys are never logged.
  const file = fileOf(config);
  writeFileSync(file, [...where, ...secret, ''].join('\n'), { mode: 0o600 });
  return [
    ...where,
    `  First key  in ${file} (readable by you only), with the set-up link${example === undefined ? '' : ' and a command to try'}`,
  ];
}

/** Why the server does no work on its own. */
function pausedLines({ paused }: Product): readonly string[] {
  const state = paused();
  return state === undefined ? [] : [`  Paused     ${state.why} ${state.ending}`];
}

/** The sandbox's URL or, if it is off, the number of its paused accounts. */
async function sandboxLines(config: Config, { store }: Product): Promise<readonly string[]> {
  if (config.sandbox) return [`  Sandbox    ${config.sandboxUrl ?? `${config.rootUrl}/sandbox`}`];
  const paused = config.sandboxUrl === undefined ? await countSandboxAccounts(store.db) : 0;
  if (paused === 0) return [];
  return [
    `  Sandbox    off: ${paused === 1 ? 'its account is' : `its ${paused} accounts are`} paused until SANDBOX=on`,
  ];
}

/** The set-up link, printed until the owner has a password; without a terminal it is written to the file. */
function setUpLines(config: Config, where: readonly string[], link: readonly string[]): readonly string[] {
  if (link.length === 0 || process.stdout.isTTY) return link;
  const file = fileOf(config);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [...where, ''];
  const others = kept.filter((line) => !line.startsWith(SET_UP));
  const at = others.indexOf('');
  writeFileSync(file, others.toSpliced(at === -1 ? others.length : at, 0, ...link).join('\n'), { mode: 0o600 });
  return [`${SET_UP}link in ${file} (readable by you only)`];
}

/** Says how to create a key until one is used: an interrupted first start may not have printed its key. */
async function unusedHint(config: Config, { store }: Product): Promise<readonly string[]> {
  if (existsSync(fileOf(config)) || (await anyKeyUsed(store.db))) return [];
  return [`  API key    To create one${secretsOf(config)}: ${keyCommand(config)}`];
}

function keyCommand({ dataDir }: Config): string {
  const program = import.meta.dirname.split(sep).includes('node_modules') ? 'npx rostra' : 'npm run --silent rostra --';
  return `DATA_DIR=${quoted(dataDir)} ${program} key create --name first`;
}

/** The secret settings that the command needs, without their values. */
function secretsOf({ databaseUrl, masterKeys }: Config): string {
  const names = [
    ...(databaseUrl === undefined ? [] : ['DATABASE_URL']),
    ...(masterKeys.length === 0 ? [] : ['MASTER_KEY']),
  ];
  return names.length === 0 ? '' : ` (with the ${names.join(' and ')} of this server)`;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

type Owner = Readonly<{ key: string; workspace: Workspace }>;

async function makeOwner({ modules, store }: Product): Promise<Owner | undefined> {
  if (await findOwner(store.db)) return undefined;
  const made = await modules.users.create(OWNER, 'Owner');
  // Another process created the owner first.
  if (!made) return undefined;
  const workspace = (await currentWorkspace(store.db, made.workspaceId))!;
  const { raw_key: key } = await modules.keys.create(authorityOver(workspace.id), made.userId, 'First key', {});
  return { key, workspace };
}

/** Connects a sandbox account and uploads a picture; returns a command that publishes both. */
async function makeExample(config: Config, product: Product, { key, workspace }: Owner): Promise<string | undefined> {
  const { modules, sandbox } = product;
  if (product.paused() !== undefined) return undefined;
  const person = await sandbox?.someoneWithForm();
  if (!person?.form) return undefined;
  const authority = authorityOver(workspace.id);
  const [brand] = await modules.brands.list(authority);
  const { body } = await modules.accounts.start(authority, workspace, {
    platform: person.network,
    redirect_uri: undefined,
    state: undefined,
    brandId: brand!.id,
    metadata: person.form,
  });
  const { id: media_id } = await modules.media.upload(workspace, { file: picture(), filename: 'hello.png' });
  const post = {
    text: 'Hello from Rostra!',
    media_ids: [media_id],
    account_ids: [(body as { account_id: string }).account_id],
    publish_now: true,
  };
  return `curl -sS ${config.rootUrl}/v1/posts -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(post)}'`;
}

async function* picture(): AsyncGenerator<Uint8Array> {
  yield await readFile(new URL('hello.png', import.meta.url));
}
