import { type AccountRow, loadAccount } from '#db/access/accounts.ts';
import { isoTime } from '#kernel/clock.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountCall } from '#platforms/call.ts';
import { connectorOf } from '#platforms/lookup.ts';
import { makeAppChecks } from './app.ts';
import { makeAttempt } from './attempt.ts';
import type { Progress, Remains, Subject, Use, VerifyDeps, Work } from './deps.ts';
import { makeMask, textsIn } from './mask.ts';
import { planOf } from './plan.ts';
import { readAccount } from './reads.ts';
import { makeRecorder, type Recorder } from './recorder.ts';
import { differencesIn, recordOf, reportOf } from './report.ts';
import { makeTrail } from './trail.ts';

export type VerifyRequest = Readonly<{
  platform: PlatformSlug;
  account?: string | undefined;
  page?: string | undefined;
}>;

/** The report, its exchanges as JSON, what remains on the platform, and errors of this program. */
export type Verified = Readonly<{
  differences: readonly string[];
  report: string;
  record: string;
  remains: readonly Remains[];
  broken: readonly unknown[];
}>;

/** Compares a platform's answers with what its connector expects. */
export function makeVerify(deps: VerifyDeps & Readonly<{ version: string }>) {
  const { store, clock, platforms, pages, networkOf, calling } = deps;
  const checkApp = makeAppChecks(deps);
  const attempt = makeAttempt(deps);

  /** The platform or account to verify; throws if there is none, or it cannot be called. */
  async function find({ platform: slug, account: id, page }: VerifyRequest): Promise<Subject> {
    if (id === undefined) {
      const platform = platforms.get(slug)!;
      return { platform, network: networkOf(slug), account: undefined, page };
    }
    const account = await loadAccount(store.db, id);
    if (account?.platform !== slug) throw new ConfigError(`there is no account ${id} on ${slug}`);
    if (account.status !== 'active') throw new ConfigError(`the account ${id} has to be connected again first`);
    return { platform: connectorOf(platforms, account), network: account.network, account, page };
  }

  return Object.freeze({
    /** The planned actions, a sentence each. */
    plan: async (request: VerifyRequest): Promise<readonly string[]> => planOf(await find(request), deps.rootUrl),

    async run(request: VerifyRequest, progress: Progress): Promise<Verified> {
      const subject = await find(request);
      const { platform, network, account } = subject;
      const recorder = makeRecorder();
      const known = await knownOf(deps, subject);
      const hosts = new Set(
        Object.values(calling.hosts(platform, network)).flatMap((host) => URL.parse(host)?.host ?? []),
      );
      const mask = () => makeMask(known, hosts);
      const trail = makeTrail(recorder, mask, progress.checked);
      const use = account ? userOf(account, recorder, known) : undefined;
      const remains: Remains[] = [];
      const work: Work = { ...subject, trail, recorder, use, progress, remains };
      await trail.part('app', () => checkApp(work));
      if (account && use) {
        await trail.part('account', async () => {
          const page = platform.pages && (await pages.resolve(account, subject.page)).platform_page_id;
          await readAccount(work, use, page);
          await attempt(work, use, page);
        });
      }
      const title = { platform: platform.slug, network, version: deps.version, at: isoTime(clock.now()) };
      const { checks, broken } = trail;
      return {
        differences: differencesIn(checks),
        report: reportOf(title, checks),
        record: recordOf(title, checks, mask()),
        remains,
        broken,
      };
    },
  });

  /** Calls the platform as the account; a refused login is reported, but the account stays connected. */
  function userOf(account: AccountRow, { over }: Recorder, known: Map<string, string>): Use {
    const sessions = deps.sessionsOver(over);
    return async function use<T>(act: (call: AccountCall) => Promise<T>): Promise<T> {
      const { answer } = await sessions.use(account, async (call) => {
        for (const text of textsIn(call.session)) known.set(text, 'secret');
        const requested = act(call);
        await requested.catch(() => {});
        return { answer: requested };
      });
      return answer;
    };
  }
}

/** Texts to mask, with the names that replace them. */
async function knownOf(
  { apps }: Pick<VerifyDeps, 'apps'>,
  { platform, network, account }: Subject,
): Promise<Map<string, string>> {
  const client =
    platform.connect.kind === 'oauth'
      ? await apps.find(platform, { network, app_id: account?.app_id ?? null })
      : undefined;
  const known = new Map<string, string>(textsIn(client ?? {}).map((text) => [text, 'app']));
  const { platform_user_id, username, name, user_email } = account ?? {};
  for (const text of textsIn([platform_user_id, username, name, user_email])) known.set(text, 'account');
  return known;
}
