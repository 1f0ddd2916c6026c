import { computed, signal } from '@preact/signals';
import { makeActing, type Say } from '../lib/acting.ts';
import type { Call } from '../lib/call.ts';
import type { Account, AccountPage, Answer } from '../lib/operations.ts';

type DetailsDeps = Readonly<{
  call: Call;
  account: Pick<Account, 'id' | 'capabilities'>;
  newKey(): string;
  say: Say;
}>;

type Numbers = Readonly<{
  status: Answer<'get_whatsapp_number_status'>;
  templates: Answer<'list_whatsapp_templates'>['data'];
}>;

/** What can be read about an account when its details are opened. */
export const partsOf = (capabilities: readonly string[]) => ({
  hasPages: capabilities.includes('pages'),
  hasNumber: capabilities.includes('phone numbers'),
});

/** Pages, phone number and templates of an account, read when its details are opened. */
export function makeDetails({ call, account: { id: account_id, capabilities }, newKey, say }: DetailsDeps) {
  const pages = signal<readonly AccountPage[] | undefined>(undefined);
  const numbers = signal<Numbers | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  const { hasPages, hasNumber } = partsOf(capabilities);
  const { isBusy, act } = makeActing({ call, newKey, say });

  async function readPages(): Promise<void> {
    pages.value = (await call('list_account_pages', { account_id })).data;
  }

  async function readNumber(): Promise<void> {
    const [status, { data: templates }] = await Promise.all([
      call('get_whatsapp_number_status', { phone_number_id: account_id }),
      call('list_whatsapp_templates', { account_id, limit: 100 }),
    ]);
    numbers.value = { status, templates };
  }

  async function change(run: (callOnce: Call) => Promise<string>): Promise<void> {
    await act(run);
    await readPages().catch(() => undefined);
  }

  return {
    isBusy,
    pages: computed(() => pages.value),
    numbers: computed(() => numbers.value),
    problem: computed(() => problem.value),

    async open(): Promise<void> {
      problem.value = undefined;
      try {
        await Promise.all([hasPages ? readPages() : undefined, hasNumber ? readNumber() : undefined]);
      } catch (error) {
        problem.value = (error as Error).message;
      }
    },

    turn: ({ id: page_id, name, is_active }: AccountPage) =>
      change(async (callOnce) => {
        await callOnce('update_account_page', { account_id, page_id, is_active: !is_active });
        return is_active ? `${name} is off: nothing is published to it or received from it.` : `${name} is on.`;
      }),

    makeDefault: ({ id: page_id, name }: AccountPage) =>
      change(async (callOnce) => {
        await callOnce('update_account_page', { account_id, page_id, is_default: true });
        return `${name} is used where no page is named.`;
      }),
  };
}
