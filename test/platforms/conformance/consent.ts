import type { PlatformSlug } from '#kernel/platforms.ts';
import { openConnectPage } from '../../harness/calls/stand-ins.ts';
import type { Door, Subject } from './subject.ts';

const DONE = 'https://app.example.org/done';

/**
 * Connects a person of the simulator by the consent page that is at `path` there, and answers our id of the account; `given`
 * is who it is and what they choose; `login` names one of several ways to log in, `brand` ours that it is for.
 */
export async function connectByConsent(
  { rest, control }: Door,
  platform: PlatformSlug,
  path: string,
  {
    login,
    brand: brand_id,
    ...given
  }: Readonly<{ person: string; login?: string; brand?: string }> & Readonly<Record<string, unknown>>,
): Promise<string> {
  const metadata = login === undefined ? {} : { metadata: { login } };
  const begun = await rest('POST /v1/accounts/connect', { platform, redirect_uri: DONE, brand_id, ...metadata });
  const { consents, back } = await openConnectPage(begun.body.auth_url);
  const url = consents.find((link) => new URL(link).pathname.endsWith(path));
  const { location } = await control(`${platform}/consent`, { url, ...given });
  const end = await back(location);
  if (end.get('status') !== 'success') throw new Error(end.toString());
  return end.get('account_id')!;
}

/** Who connects accounts of most twins. */
export const OWNERS: readonly string[] = ['olivia.sandbox.test', 'sam.sandbox.test'];

/** Has the nth owner connect by the consent page that is at `path` of the simulator. */
export const connectOwner =
  (platform: PlatformSlug, path: string, owners = OWNERS): Subject['connect'] =>
  async (door, nth) => {
    const person = owners[nth]!;
    return { account: await connectByConsent(door, platform, path, { person }), person };
  };
