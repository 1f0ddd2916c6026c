import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { accountsToReconnect, failingEndpoints, overdueSince, platformsInUse } from '#db/upkeep/health.ts';
import { dueDeliveries, dueJobs, type Backlog } from '#db/upkeep/gauges.ts';
import { migrations } from '#db/migrations/index.ts';
import { CANARY } from '#db/schema/sealed.ts';
import { SQLITE_DAMAGE } from '#db/store/availability.ts';
import { PAUSED, readSetting } from '#db/store/settings.ts';
import { openStore, type Store } from '#db/store/open.ts';
import { summaryOfPostgres } from '#db/store/postgres/dump.ts';
import { faultOfSqlite, summaryOfSqlite, type StoreSummary } from '#db/store/sqlite/snapshot.ts';
import { lookHome } from '#engine/pause/home.ts';
import { locationOf } from '#engine/pause/index.ts';
import { MINUTE, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { credentialNames } from '#kernel/config/names.ts';
import { JOB_KINDS } from '#kernel/jobs.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Log } from '#kernel/log.ts';
import { hasKey, keyFileOf, openKeyRing } from '#compose/keyring.ts';
import { storeOptions } from '#compose/store-options.ts';
import { appOf } from '#platforms/lookup.ts';
import { platforms } from '#platforms/index.ts';
import { failure, ok, warning, type CheckResult } from '#engine/readiness/checks.ts';

/** Due work that is older than this is stuck. */
const LATE_MS = 15 * MINUTE;

/** Checks the database, its key, and the state of accounts, posts and webhooks. Never changes the database. */
export async function checkStore(config: Config, log: Log, isFull: boolean): Promise<readonly CheckResult[]> {
  const { databaseUrl, dataDir } = config;
  const file = join(dataDir, 'rostra.db');
  if (databaseUrl === undefined && !existsSync(file))
    return [
      failure('database', `there is none at ${file}`, 'set DATA_DIR as for the server, or start the server once'),
    ];
  let summary: StoreSummary | undefined;
  try {
    if (databaseUrl === undefined) {
      const fault = faultOfSqlite(file, isFull ? 'integrity_check' : 'quick_check');
      if (fault !== undefined) return [failure('database', `the file is damaged: ${fault}`, RESTORE)];
      summary = summaryOfSqlite(file);
    } else summary = await summaryOfPostgres(databaseUrl);
  } catch (error) {
    return [unusable(config, error)];
  }
  if (summary === undefined) return [failure('database', 'it is empty', 'start the server once, or restore a backup')];
  const sound = ok('database', databaseUrl === undefined ? `${file} is sound` : 'it answers');
  const key = checkKey(config, summary);
  const schema = checkSchema(summary);
  if (schema.verdict !== 'ok') return [sound, key, schema];
  let store: Store | undefined;
  try {
    store = await openStore(storeOptions(config, log));
    return [sound, key, schema, ...(await checkContents(store, config))];
  } catch (error) {
    return [unusable(config, error), key, schema];
  } finally {
    await store?.close();
  }
}

const RESTORE = 'stop the server and restore a backup (docs/running.md, "Restoring")';

/** Opening or reading the database failed, for a reason other than damage that was found before. */
function unusable({ databaseUrl, dataDir }: Config, error: unknown): CheckResult {
  const { message } = error as Error;
  if (databaseUrl !== undefined) return failure('database', message, 'start PostgreSQL, or correct DATABASE_URL');
  return failure('database', `it cannot be used: ${message}`, cureOf(codeOf(error), dataDir));
}

function cureOf(code: string, dataDir: string): string {
  if (SQLITE_DAMAGE.test(code)) return RESTORE;
  return /^SQLITE_(FULL|IOERR)/.test(code)
    ? `make room on the disk of ${dataDir}, and see that the disk works`
    : `run this as the user of the server, and see that the files in ${dataDir} belong to it`;
}

/** The code of SQLite, of an error or of its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code = '' } = error as NodeJS.ErrnoException;
  return code.startsWith('SQLITE_') ? code : codeOf(error.cause);
}

function checkKey(config: Config, { sealed }: StoreSummary): CheckResult {
  if (!hasKey(config))
    return failure('master key', 'it is missing', `put it into MASTER_KEY, or back into ${keyFileOf(config)}`);
  try {
    const sealer = openKeyRing(config);
    if (sealed !== undefined) sealer.open(sealed, CANARY.context);
    return ok('master key', `it opens the database (id ${sealer.keyIds[0]!})`);
  } catch {
    return failure('master key', 'it does not open this database', 'set the key that the database was made with');
  }
}

function checkSchema({ schemaVersion: version }: StoreSummary): CheckResult {
  if (version === migrations.length) return ok('schema', `version ${version}`);
  const found = `version ${version}; this Rostra has version ${migrations.length}`;
  return version > migrations.length
    ? failure('schema', found, 'use the newer Rostra that migrated it')
    : warning('schema', found, 'start the server, which migrates it');
}

async function checkContents(store: Store, config: Config): Promise<readonly CheckResult[]> {
  const now = systemClock.now();
  const reconnect = await accountsToReconnect(store.db);
  const failing = await failingEndpoints(store.db);
  const overdue = await overdueSince(store.db, now - 5 * MINUTE);
  return [
    ...(await checkPause(store, config)),
    reconnect.length === 0
      ? ok('accounts', 'none waits to be connected again')
      : warning(
          'accounts',
          `to be connected again: ${reconnect.join(', ')}`,
          'connect them again in the dashboard, under Accounts',
        ),
    failing.length === 0
      ? ok('webhooks', 'every receiver accepts its deliveries')
      : warning(
          'webhooks',
          `refuse their deliveries: ${failing.join(', ')}`,
          'look at what they answer with list_webhook_deliveries',
        ),
    overdue === undefined
      ? ok('posts', 'none is overdue')
      : failure(
          'posts',
          `one is overdue for ${Math.round((now - overdue) / MINUTE)} minutes`,
          'see that the server runs and is not paused, and look for errors in its log',
        ),
    ...(await checkQueues(store, now)),
    ...(await platformsInUse(store.db)).map((slug) => checkApp(config, slug)),
  ];
}

/** Finds work that should have begun long ago. */
async function checkQueues({ db }: Store, now: number): Promise<readonly CheckResult[]> {
  const deliveries = await dueDeliveries(db, now);
  const jobs = await dueJobs(db, JOB_KINDS, now);
  const isLate = ({ since }: Backlog) => since !== null && now - since > LATE_MS;
  const late = jobs.filter(isLate).map(({ kind, due }) => `${kind} (${due})`);
  const todo = 'see that the server runs and is not paused; where it does, look for errors in its log';
  return [
    isLate(deliveries)
      ? failure(
          'deliveries',
          `${deliveries.due} webhooks have been due for more than ${LATE_MS / MINUTE} minutes`,
          todo,
        )
      : ok('deliveries', 'none is overdue'),
    late.length > 0
      ? failure('jobs', `due for more than ${LATE_MS / MINUTE} minutes: ${late.join(', ')}`, todo)
      : ok('jobs', 'none is overdue'),
  ];
}

/** Checks whether a server is paused on the store, or would be if it started with these settings. */
async function checkPause({ db, location }: Store, { paused, installation }: Config): Promise<readonly CheckResult[]> {
  const marked = await readSetting(db, PAUSED);
  const remedy = 'end it with `rostra take-over`, if no other server works on the original';
  if (marked !== undefined) return [failure('pause', (JSON.parse(marked) as { why: string }).why, remedy)];
  const here = await locationOf({ location }, installation);
  const strayed = here && paused !== 'off' ? await lookHome(db, here) : undefined;
  if (strayed === undefined) return [];
  return [
    warning(
      'pause',
      `a server that starts here with these settings is paused: ${strayed.why}`,
      'where a server works on this store already, run this as it runs (DATA_DIR, INSTALLATION); otherwise start it, and end the pause with `rostra take-over`',
    ),
  ];
}

/** Checks whether the app of a platform with connected accounts is configured and plausible. */
function checkApp({ credentials }: Config, slug: PlatformSlug): CheckResult {
  const platform = platforms.get(slug);
  const check = `app of ${slug}`;
  if (platform?.connect.kind !== 'oauth') return ok(check, 'it needs none');
  const app = appOf(platform);
  const { id, secret } = credentialNames(app);
  const set = credentials[app];
  if (set === undefined)
    return failure(
      check,
      `accounts are connected, but ${id} and ${secret} are not set`,
      'set them as the server had them',
    );
  const { clientId, clientSecret } = set;
  if (clientId === clientSecret || /\s|^["'<]|^(?:xxx|changeme|your)/i.test(`${clientId}${clientSecret}`))
    return warning(
      check,
      `${id} and ${secret} do not look like what the platform gives`,
      'copy them from its developer pages',
    );
  return ok(check, 'it is set');
}
