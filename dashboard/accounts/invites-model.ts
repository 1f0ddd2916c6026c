import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Invite } from '../lib/operations.ts';

type InvitesDeps = Readonly<{ call: Call; newKey(): string; say: Say }>;

export function makeInvites({ call, newKey, say }: InvitesDeps) {
  const brand = signal('');
  const invites = signal<readonly Invite[]>([]);
  const { isBusy, act } = makeActing({ call, newKey, say });

  async function read(brand_id: string): Promise<void> {
    const { data } = await call('list_invites', { brand_id });
    // Another brand may have been chosen during the request.
    if (brand.value === brand_id) invites.value = data.filter(({ is_active }) => is_active);
  }

  return {
    isBusy,
    brand: computed(() => brand.value),
    /** Invites that can still be used. */
    invites: computed(() => invites.value),

    choose(brand_id: string): void {
      brand.value = brand_id;
      invites.value = [];
      if (brand_id !== '') void read(brand_id).catch((error: Error) => say(error.message, { isBad: true }));
    },

    async create(platform: string, days: number): Promise<void> {
      const brand_id = brand.value;
      const isDone = await act(async (callOnce) => {
        await callOnce('create_invite', { brand_id, platform, expires_in_days: days });
        return 'The link is below: copy it and send it.';
      });
      if (isDone) await read(brand_id).catch(() => undefined);
    },

    async withdraw(invite: Invite): Promise<void> {
      await act(async (callOnce) => {
        await callOnce('revoke_invite', { invite_id: invite.id });
        return 'The link no longer works.';
      });
      await read(invite.brand_id).catch(() => undefined);
    },
  };
}
