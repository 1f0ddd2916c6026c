import type { MessageRow } from '#db/inbox/messages.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeClaimSigner } from '#kernel/sign.ts';

const LIFE_MS = 3_600_000;

export type AttachmentRef = Readonly<{ accountId: string; messageId: string; index: number }>;

/** Makes URLs for attachments that need a login; anyone with the URL can read the attachment for an hour. */
export function makeAttachmentAddresses({
  sealer,
  clock,
  rootUrl,
}: Readonly<{ sealer: Sealer; clock: Clock; rootUrl: string }>) {
  const signer = makeClaimSigner(sealer.derive('inbound media'), 'GET');
  return Object.freeze({
    /** A message's attachments as the API shows them; `url` is '' if there is none. */
    shown: ({ account_id, platform_id, attachments }: Pick<MessageRow, 'account_id' | 'platform_id' | 'attachments'>) =>
      attachments.map(({ type, url = '', ref }, index) => {
        if (url !== '' || ref === undefined) return { type, url };
        const token = signer.sign([account_id, platform_id, index, clock.now() + LIFE_MS]);
        return { type, url: `${rootUrl}/media/inbound/${token}` };
      }),

    /** The attachment that a token stands for; undefined if invalid or expired. */
    open(token: string): AttachmentRef | undefined {
      const claims = signer.open(token) as readonly [string, string, number, number] | undefined;
      if (claims === undefined || claims[3] <= clock.now()) return undefined;
      const [accountId, messageId, index] = claims;
      return { accountId, messageId, index };
    },
  });
}

export type AttachmentAddresses = ReturnType<typeof makeAttachmentAddresses>;
