/** Cloud Pub/Sub, to which Google publishes: topics, and subscriptions that push. */
import { MINUTE, DAY } from '#kernel/clock.ts';
import { wordsIn } from '../kit/acts.ts';
import { digits } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Pushes } from '../kit/push/pushes.ts';
import type { Settings } from '../kit/settings.ts';
import { badRequest, errorInfo, refusal } from './errors.ts';
import { ISSUER, type GoogleKeys } from './keys.ts';

export const PUBSUB_SETTINGS = Object.freeze({
  /** The address to push to, by default the app's own, and the audience if it is different. */
  push_endpoint: '',
  push_audience: '',
  /** Topics to which Google is not allowed to publish. */
  closed_topics: '',
  push_wrong_audience: false,
  push_expired: false,
  /** Whether messages are pushed without a JWT. */
  push_unsigned: false,
});

type PubSub = Readonly<{
  slug: string;
  twin: TwinOptions;
  settings: Settings<typeof PUBSUB_SETTINGS>;
  keys: GoogleKeys;
}>;

export type Published = Readonly<{ topic: string; data: object }>;

const SERVICE_ACCOUNT = 'pubsub-push@sandbox.iam.gserviceaccount.com';
const HOUR_S = 3600;
/** Growing delays after failures. Messages are kept for a week. */
const WAITS = Object.freeze([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 10 * MINUTE]);

export function startPubSub({ slug, twin, settings, keys }: PubSub, pushes: Pushes): void {
  const endpoint = () => settings.get('push_endpoint') || `${twin.productUrl().replace(/\/+$/, '')}/push/${slug}`;
  function claims(url: string): object {
    const iat = Math.floor(twin.clock.now() / 1000) - (settings.get('push_expired') ? 2 * HOUR_S : 0);
    const aud = settings.get('push_wrong_audience')
      ? 'https://elsewhere.example'
      : settings.get('push_audience') || url;
    const who = { azp: digits(21), email: SERVICE_ACCOUNT, email_verified: true };
    return { iss: ISSUER, aud, ...who, sub: who.azp, iat, exp: iat + HOUR_S };
  }
  pushes.start({
    bundle: (updates) =>
      updates.map(({ item, at }) => {
        const { topic, data: published } = item as Published;
        const data = Buffer.from(JSON.stringify(published)).toString('base64');
        const [id, time] = [digits(16), new Date(at).toISOString()];
        const message = { data, attributes: {}, messageId: id, message_id: id, publishTime: time, publish_time: time };
        const subscription = topic.replace(/\/topics\/.*/, '/subscriptions/rostra');
        return { url: endpoint(), body: JSON.stringify({ message, subscription }) };
      }),
    request({ url, body }, isWrong) {
      const jwt = { authorization: `Bearer ${keys.sign(claims(url), isWrong)}` };
      const proof = settings.get('push_unsigned') ? {} : jwt;
      return { url, body, headers: { ...proof, 'content-type': 'application/json', from: 'noreply@google.com' } };
    },
    waits: WAITS,
    lastTry: 7 * DAY,
  });
}

/** Checks the name of a topic; an empty name means none. */
export function topicOf(given: string | undefined, { settings }: Pick<PubSub, 'settings'>): string | undefined {
  function refused(reason: string, message: string) {
    const violation = badRequest([{ field: 'notification_setting.pubsub_topic', description: message }]);
    return refusal('INVALID_ARGUMENT', message, [errorInfo(reason), violation]);
  }
  if (given === undefined || given === '') return undefined;
  if (!/^projects\/[a-z][\w.:-]{3,}\/topics\/[A-Za-z][\w.~+%-]{2,254}$/.test(given))
    throw refused('INVALID_PUBSUB_TOPIC', 'The Pub/Sub topic is not valid.');
  if ((wordsIn(settings.get('closed_topics')) ?? []).includes(given))
    throw refused('PUBLISH_PERMISSIONS_MISSING_FOR_PUBSUB_TOPIC', 'Google may not publish to the Pub/Sub topic.');
  return given;
}
