import { HOUR, isoTime } from '#kernel/clock.ts';
import { answer, route, type Route } from '../kit/api/routes.ts';
import type { Call, Calls, Holder } from './calls.ts';
import { forbidden, invalid, required } from './errors.ts';
import type { Teams, World } from './world.ts';

const LARGEST = 5 * 1024 ** 3;
const KINDS = /^(?:image|video|audio)\/[\w-]+$|^application\/pdf$/;
/** Free accounts, and the monthly price of others in cents. */
const FREE = 2;
const PRICE = 600;

export function usageRoutes({ people }: World, { accountsOf }: Teams, { row }: Calls) {
  const spentBy = (team: string) => Math.max(0, accountsOf(team).length - FREE) * PRICE;
  const planOf = (team: string) => (spentBy(team) === 0 ? 'Free' : 'Usage-based');

  const snapshot = ({ team }: Call) => ({
    billingSystem: 'metronome',
    planName: planOf(team),
    billingPeriod: 'monthly',
    signupDate: isoTime(people.byId(team)!.at),
    billingAnchorDay: 1,
    hasAccess: true,
    customerId: null,
    isInvitedUser: false,
    autoUpgradeEnabled: false,
    limits: { uploads: -1, profiles: -1 },
    usage: { connectedAccounts: accountsOf(team).length, xApiCallsByOperation: {} },
    spend: { currentPeriodCents: spentBy(team), creditsRemainingCents: 0, xSpendCents: 0, xSpendLimitCents: null },
  });
  return [
    row('GET', 'usage-stats', 'billing', snapshot),
    // Daily billing is unknown here.
    row('GET', 'usage', 'billing', (call) =>
      ['range', 'granularity', 'from', 'to'].some((name) => call.params.names.includes(name))
        ? { supported: false, days: [] }
        : snapshot(call),
    ),
    row('GET', 'billing', 'billing', ({ team }) => ({
      billingSystem: 'metronome',
      plan: { name: planOf(team), isUsageBased: true, isPaid: spentBy(team) > 0 },
      period: { start: null, end: null, anchorDay: 1 },
      balance: { accruedThisPeriodCents: spentBy(team), creditsRemainingCents: 0 },
      caps: { xSpendUsedCents: 0, xSpendLimitCents: null },
      status: {
        hasAccess: true,
        suspended: false,
        suspendedAt: null,
        suspensionReason: null,
        autoUpgradeEnabled: false,
      },
    })),
  ];
}

/** The call that returns an upload URL, and that URL. */
export function mediaRoutes({ files, hosts, options: { clock } }: World, { row }: Calls) {
  const presign = row('POST', 'media/presign', 'publishing', ({ params }) => {
    const [name, kind] = [params.text('filename'), params.text('contentType')];
    if (name === undefined || name === '') throw required('filename');
    if (kind === undefined || !KINDS.test(kind)) throw invalid('Unsupported content type', 'contentType');
    if ((params.whole('size') ?? 0) > LARGEST) throw invalid('The file is larger than 5 GB', 'size');
    const { id } = files.open(name);
    const key = `temp/${id}-${name}`;
    return { uploadUrl: `${hosts.upload()}/${id}`, publicUrl: `${hosts.media()}/${id}`, key, expiresIn: HOUR / 1000 };
  });
  const upload: Route<Holder> = route('PUT', '{file}', { isOpen: true, isStream: true }, async ({ ctx, path }) => {
    const blob = files.find(path['file'] ?? '');
    if (blob === undefined || blob.at + HOUR <= clock.now()) throw forbidden('Request has expired');
    const writer = files.writer(blob.id);
    for await (const chunk of ctx.req) {
      if (writer.at() + (chunk as Buffer).length > LARGEST) throw invalid('The file is larger than 5 GB');
      writer.add(chunk as Buffer);
    }
    writer.flush();
    await files.finish(blob.id);
    return answer('');
  });
  return { presign, upload };
}
