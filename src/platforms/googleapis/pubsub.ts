import * as z from 'zod';
import type { PlatformSetting } from '#kernel/config/names.ts';
import { matching } from '#kernel/config/values.ts';
import { safeEqual } from '#kernel/sign.ts';
import type { UnauthenticatedCall } from '../call.ts';
import type { PushRequest, PushTrust } from '../push.ts';
import { pushedJson } from '../shared/rest.ts';

const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];
const Envelope = z.object({ message: z.object({ data: z.string() }) });

type Settings = UnauthenticatedCall['settings'];

/** Pushes by Google Cloud Pub/Sub; `what` names their content, `prefix` begins the names of the settings. */
export function pubsub({ prefix, what }: Readonly<{ prefix: string; what: string }>) {
  const names = {
    topic: `${prefix}_PUBSUB_TOPIC`,
    email: `${prefix}_PUBSUB_EMAIL`,
    audience: `${prefix}_PUBSUB_AUDIENCE`,
    token: `${prefix}_PUBSUB_TOKEN`,
  };

  /** Whether the subscription's service account signed the token for this address. */
  async function isSigned(token: string, { settings, hosts, callback, jwt }: PushTrust): Promise<boolean> {
    const email = settings[names.email];
    // Without the address of the service account nothing is proven: any Google user can get a signed token.
    if (email === undefined) return false;
    const jwksUrl = `${hosts['googleapis']!}/oauth2/v3/certs`;
    const audience = settings[names.audience] ?? callback;
    const claims = await jwt(token, { jwksUrl, issuer: ISSUERS, audience });
    return claims?.['email'] === email && claims['email_verified'] === true;
  }

  return Object.freeze({
    settings: Object.freeze<PlatformSetting[]>([
      {
        name: names.topic,
        meaning: `The Pub/Sub topic to which Google publishes ${what}, as projects/…/topics/…; without it they are polled.`,
        parse: matching(/^projects\/[\w:.-]+\/topics\/[\w.~+%-]+$/, 'must be projects/<project>/topics/<topic>'),
        sandbox: 'projects/sandbox/topics/reviews',
      },
      {
        name: names.email,
        meaning: 'The service account as which the push subscription of the topic authenticates.',
        parse: matching(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'),
        sandbox: 'pubsub-push@sandbox.iam.gserviceaccount.com',
      },
      {
        name: names.audience,
        meaning: 'The audience of the push subscription, where that is not the push address itself.',
        parse: String,
      },
      {
        name: names.token,
        meaning: 'A secret in the push address (`?token=`), for a push subscription without authentication.',
        parse: matching(/^[\w.~-]{16,256}$/, 'must be 16 or more letters, digits or . _ ~ -'),
      },
    ]),

    /** The configured topic; undefined if there is none or if pushes could not be verified. */
    topicIn(settings: Settings): string | undefined {
      const isProven = settings[names.email] !== undefined || settings[names.token] !== undefined;
      return isProven ? settings[names.topic] : undefined;
    },

    async verify({ headers, query = {} }: PushRequest, trust: PushTrust): Promise<boolean> {
      const secret = trust.settings[names.token];
      if (secret !== undefined && safeEqual(query['token'] ?? '', secret)) return true;
      const [, token] = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '') ?? [];
      return token !== undefined && (await isSigned(token, trust));
    },

    /** The published JSON; undefined if the message does not contain JSON. */
    dataIn({ body }: PushRequest): unknown {
      const envelope = Envelope.safeParse(pushedJson(body));
      return pushedJson(Buffer.from(envelope.data?.message.data ?? '', 'base64'));
    },
  });
}
