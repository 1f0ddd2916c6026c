import type { World } from '../../harness/world.ts';

export const BODY = { type: 'BODY', text: 'Hello {{1}}, order {{2}} is on its way.' };
export const DRAFT = { name: 'order_sent', category: 'UTILITY', language: 'en_US', components: [BODY] };
export const VALUES = [
  {
    type: 'body',
    parameters: [
      { type: 'text', text: 'Ann' },
      { type: 'text', text: '7' },
    ],
  },
];
export const TEMPLATE_ID = '7001';

/** A sound input of each operation that reaches the platform; `id` is that of the account or its number. */
export const INPUTS: Readonly<Record<string, (id: string) => Readonly<Record<string, unknown>>>> = {
  request_whatsapp_code: (phone_number_id) => ({ phone_number_id }),
  verify_whatsapp_code: (phone_number_id) => ({ phone_number_id, code: '123456' }),
  register_whatsapp_number: (phone_number_id) => ({ phone_number_id, pin: '424242' }),
  deregister_whatsapp_number: (phone_number_id) => ({ phone_number_id }),
  get_whatsapp_number_status: (phone_number_id) => ({ phone_number_id }),
  get_whatsapp_business_profile: (phone_number_id) => ({ phone_number_id }),
  update_whatsapp_business_profile: (phone_number_id) => ({ phone_number_id, about: 'Fresh bread' }),
  list_whatsapp_templates: (account_id) => ({ account_id }),
  create_whatsapp_template: (account_id) => ({ account_id, ...DRAFT }),
  delete_whatsapp_template: (account_id) => ({ account_id, name: 'order_7001' }),
  get_whatsapp_template: (account_id) => ({ template_id: TEMPLATE_ID, account_id }),
  update_whatsapp_template: (account_id) => ({ template_id: TEMPLATE_ID, components: [BODY], account_id }),
  send_whatsapp_template: (account_id) => ({
    account_id,
    to: '4915112345678',
    template_name: 'order_7001',
    language: 'en_US',
    components: VALUES,
  }),
};

/** The call of the fake platform that each of them makes last. */
export const CALLS: Readonly<Record<string, string>> = {
  request_whatsapp_code: 'numbers.request_code',
  verify_whatsapp_code: 'numbers.verify_code',
  register_whatsapp_number: 'numbers.register',
  deregister_whatsapp_number: 'numbers.deregister',
  get_whatsapp_number_status: 'numbers.status',
  get_whatsapp_business_profile: 'numbers.profile',
  update_whatsapp_business_profile: 'numbers.set_profile',
  list_whatsapp_templates: 'templates.list',
  create_whatsapp_template: 'templates.create',
  delete_whatsapp_template: 'templates.delete',
  get_whatsapp_template: 'templates.read',
  update_whatsapp_template: 'templates.update',
  send_whatsapp_template: 'templates.send',
};

/** Leaves an account in a state. */
export async function setStatus({ product }: World, id: string, status: 'active' | 'reconnect_required') {
  await product.store.write(({ db }) => db.updateTable('accounts').set({ status }).where('id', '=', id).execute());
}
