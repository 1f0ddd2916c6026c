import type { Network } from '#db/schema/database.ts';
import type { MediaSource } from '#call/ports.ts';
import { authorityOver } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { isPublicUrl } from '#kernel/net/addresses.ts';
import { isUrl } from '#platforms/media.ts';
import { findMediaAmong } from '#db/posts/media.ts';
import type { MediaDeps } from './deps.ts';
import { readyRow } from './item.ts';
import { cleanName, nameInUrl } from './names.ts';
import { readFetched } from './sources.ts';

const LEAST_MINUTES = 60;

/** URLs at which platforms fetch media: signed ones of ours, and public ones as they are. */
export function makeLinks({
  store,
  addresses,
  clock,
  bases,
  spool,
}: MediaDeps): Pick<MediaSource, 'unreachable' | 'link'> {
  const unreachable = (network: Network): string | undefined =>
    network === 'sandbox' || isPublicUrl(bases.real)
      ? undefined
      : 'is fetched by this platform from here: set ROOT_URL, or MEDIA_PUBLIC_URL, to a public https address';

  async function itemOf(workspaceId: string, ref: string, target: string | undefined) {
    if (!isUrl(ref)) {
      const [row] = await findMediaAmong(store.db, authorityOver(workspaceId), [ref]);
      return readyRow(ref, row);
    }
    // A file fetched for one call is removed before a platform fetches it.
    if (target === undefined) throw new Error('an address of ours for a public one needs a target');
    const kept = await spool.fileOf(target, ref);
    const { content_type } = await readFetched(kept, ref);
    return { id: spool.nameOf(target, ref), filename: cleanName(nameInUrl(ref), content_type) };
  }

  return {
    unreachable,

    async link(workspaceId, ref, { minutes, rehost = false, network, target }) {
      if (isUrl(ref) && !rehost) return ref;
      const wrong = unreachable(network);
      if (wrong !== undefined)
        fail('validation.field_invalid', { message: `media: ${wrong}.`, meta: { field: 'media' } });
      const { id, filename } = await itemOf(workspaceId, ref, target);
      const expires_at = clock.now() + Math.max(minutes, LEAST_MINUTES) * 60_000;
      const token = addresses.download({ id, expires_at, cleaned: true });
      return `${bases[network]}/media/${token}/${encodeURIComponent(filename)}`;
    },
  };
}
