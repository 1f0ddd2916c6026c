import { credentialNames } from '#kernel/config/names.ts';
import { callbackOf } from '#platforms/addresses.ts';
import type { OAuthClient, OAuthConnect } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import { appOf, loginsOf } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Verdict } from './trail.ts';
import type { VerifyDeps, Work } from './deps.ts';
import { type CallApp, makePushChecks } from './push-address.ts';

/** A code that no platform has issued. */
const NOT_A_CODE = 'rostra-verify';

/** Checks the platform's settings for this server, and this server's app there. */
export function makeAppChecks(deps: VerifyDeps) {
  const { apps, rootUrl } = deps;
  const { bare } = deps.calling;
  const checkPushes = makePushChecks(deps);

  /** Whether the platform accepts the app's credentials, by exchanging an invalid code. */
  async function credentials({ trail, recorder, ...subject }: Work, platform: Platform, name: string): Promise<void> {
    const { connect } = platform;
    const label = `app of ${name}`;
    if (connect.kind === 'direct' || subject.account?.by_key === 1)
      return trail.skip(label, 'accounts are connected with credentials of their own, without an app');
    const { network, account } = subject;
    const client = await apps.find(platform, { network, app_id: account?.app_id ?? null });
    if (client === undefined) {
      if (connect.customerApps) return trail.skip(label, 'customers bring apps of their own');
      const why = `no app is configured: ${settingsOf(platform)}`;
      // If there are several logins or ways to connect, one of them is enough.
      if (connect.byKey || loginsOf(platform).size > 1) return trail.skip(label, why);
      await trail.check(label, 'it is configured', async () => ({ seen: why, differs: [why] }));
      return;
    }
    await trail.check(
      label,
      'the platform takes the credentials of the app, and refuses a code that it never issued',
      () => exchange(recorder.over(bare(platform, network)), connect, client, callbackOf(rootUrl, platform)),
    );
  }

  const withoutRoot = (url: string) => url.replace(rootUrl, '{ROOT_URL}');

  /** Whether this server responds at its OAuth callback. */
  async function callback({ trail, ...subject }: Work, callApp: CallApp): Promise<void> {
    const { platform } = subject;
    if (platform.connect.kind === 'direct') return;
    const url = callbackOf(rootUrl, platform);
    await trail.check('callback address', `${withoutRoot(url)} is answered by this server`, async () => {
      const answer = await callApp('GET', url, '/connect/{platform}/callback');
      const isOurs = answer.headers['x-request-id'] !== undefined && answer.status < 500 && answer.status !== 404;
      const seen = `HTTP ${answer.status}`;
      return isOurs ? { seen } : { seen, differs: [`${seen}, which is none of this server's answers`] };
    });
  }

  return async function checkApp(work: Work): Promise<void> {
    const { platform, account, network, recorder } = work;
    const callApp: CallApp = (method, url, template, body) =>
      recorder.over(bare(platform, network)).http({
        method,
        url,
        template,
        ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
      });
    const logins = account ? [[platform.slug, platform] as const] : loginsOf(platform);
    for (const [name, login] of logins) await credentials(work, login, name);
    await callback(work, callApp);
    await checkPushes(work, callApp);
  };
}

const settingsOf = (platform: Platform): string => {
  const { id, secret } = credentialNames(appOf(platform));
  return `set ${id} and ${secret}`;
};

/** Exchanges an invalid code: the refusal shows whether the platform knows the app. */
async function exchange(
  call: Parameters<OAuthConnect['finish']>[0],
  connect: OAuthConnect,
  client: OAuthClient,
  callback: string,
): Promise<Verdict<undefined>> {
  const back = { params: { code: NOT_A_CODE }, secrets: { verifier: NOT_A_CODE }, callback, client, metadata: {} };
  try {
    await connect.finish(call, back);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'refused') throw error;
    if (error.reason === 'invalid_request') return { seen: 'the app is known' };
    throw error;
  }
  const seen = 'a code that was never issued was accepted';
  return { seen, differs: [seen] };
}
