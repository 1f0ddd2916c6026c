import { facebookOf } from '../harness/platforms/facebook.ts';
import { googleTwinOf } from '../harness/platforms/google/twin.ts';
import { telegramOf } from '../harness/platforms/telegram.ts';
import { whatsappOf } from '../harness/platforms/whatsapp.ts';
import { makeWorld } from '../harness/world.ts';
import { OLIVIA, standInOf } from '../journeys/platforms/stand-in.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A workspace with an account on each of six platforms, and the people there who write to it. */
export async function openStage(atEnd: (end: () => Promise<void>) => void) {
  const world = await makeWorld({}, atEnd);
  const facebook = facebookOf(world);
  const google = googleTwinOf(world);
  const linkedin = standInOf(world, 'linkedin', '/oauth/v2/authorization');
  const whatsapp = whatsappOf(world);
  const accounts = {
    bluesky: (await world.connect()).id as string,
    facebook: (await facebook.connect()).id as string,
    google: await google.connect(),
    linkedin: await linkedin.connect(OLIVIA),
    telegram: (await telegramOf(world).connect()).account,
    whatsapp: (await whatsapp.consent()).get('account_id')!,
  };
  await world.settle();
  return { world, facebook, google, linkedin, whatsapp, accounts };
}
