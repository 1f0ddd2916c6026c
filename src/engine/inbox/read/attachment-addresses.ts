import type { MessageRow } from '#db/inbox/messages.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeClaimSigner } from '#kernel/sign.ts';

const LIFE_MS = 3_600_000;

/** An attachment of a message, by the account and the platform's id of the message. */
export type AttachmentRef = Readonly<{ accountId: string; messageId: string; index: number }>;

/** Addresses of attachments behind the login of an account: whoever has one may read it for an hour. */
export function makeAttachmentAddresses({
  sealer,
  clock,
  rootUrl,
}: Readonly<{ sealer: Sealer; clock: Clock; rootUrl: string }>) {
  const signer = makeClaimSigner(sealer.derive('inbound media'), 'GET');
  return Object.freeze({
    /** What the API shows of the attachments of a message: `url` is '' where there is no address. */
    shown: ({ account_id, platform_id, attachments }: Pick<MessageRow, 'account_id' | 'platform_id' | 'attachments'>) =>
      attachments.map(({ type, url = '', ref }, index) => {
        if (url !== '' || ref === undefined) return { type, url };
        const token = signer.sign([account_id, platform_id, index, clock.now() + LIFE_MS]);
        return { type, url: `${rootUrl}/media/inbound/${token}` };
      }),

    /** What an address leads to; undefined when it was not made here, or has expired. */
    open(token: string): AttachmentRef | undefined {
      const claims = signer.open(token) as readonly [string, string, number, number] | undefined;
      if (claims === undefined || claims[3] <= clock.now()) return undefined;
      const [accountId, messageId, index] = claims;
      return { accountId, messageId, index };
    },
  });
}

export type AttachmentAddresses = ReturnType<typeof makeAttachmentAddresses>;
