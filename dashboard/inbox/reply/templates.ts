import { computed, signal } from '@preact/signals';
import type { Call } from '../../lib/call.ts';
import { componentsOf, lackOf, slotOf, variablesOf, wordsOf, type Template } from './filling.ts';
import type { Request } from './outbox.ts';

const AT_ONCE = 100;

/** Approved templates of an account, and the one that is being filled in. */
export function makeTemplates(call: Call) {
  const accountId = signal<string | undefined>(undefined);
  const templates = signal<readonly Template[] | undefined>(undefined);
  const problem = signal<string | undefined>(undefined);
  const chosen = signal<Template | undefined>(undefined);
  const values = signal<ReadonlyMap<string, string>>(new Map());
  const variables = computed(() => (chosen.value === undefined ? [] : variablesOf(chosen.value)));

  async function read(account_id: string): Promise<void> {
    problem.value = undefined;
    try {
      const { data } = await call('list_whatsapp_templates', { account_id, limit: AT_ONCE });
      if (accountId.value === account_id) templates.value = data.filter(({ status }) => status === 'APPROVED');
    } catch (error) {
      if (accountId.value === account_id) problem.value = (error as Error).message;
    }
  }

  return {
    isOpen: computed(() => accountId.value !== undefined),
    templates: computed(() => templates.value),
    problem: computed(() => problem.value),
    chosen: computed(() => chosen.value),
    values: computed(() => values.value),
    variables,
    /** Why the chosen one cannot be sent from here. */
    lack: computed(() => chosen.value && lackOf(chosen.value)),
    words: computed(() => (chosen.value === undefined ? '' : wordsOf(chosen.value, values.value))),
    isFilled: computed(() => variables.value.every((one) => (values.value.get(slotOf(one)) ?? '').trim() !== '')),

    /** Begins to choose a template of an account. */
    async open(account_id: string): Promise<void> {
      if (accountId.value !== account_id) templates.value = undefined;
      accountId.value = account_id;
      await read(account_id);
    },
    again: () => read(accountId.value!),
    close: () => void (accountId.value = undefined),
    choose(id: string): void {
      chosen.value = templates.value?.find((template) => template.id === id);
      values.value = new Map();
    },
    fill: (slot: string, text: string) => void (values.value = new Map(values.value).set(slot, text)),

    /** What sends the chosen one to a person. */
    requestTo(to: string): Request | undefined {
      if (accountId.value === undefined || chosen.value === undefined) return undefined;
      const { name: template_name, language } = chosen.value;
      const components = componentsOf(chosen.value, values.value);
      const input = { account_id: accountId.value, to, template_name, language, components };
      return { name: 'send_whatsapp_template', input };
    },
  };
}
