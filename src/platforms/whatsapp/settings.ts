import type { PlatformSetting } from '../../kernel/config/names.ts';
import { matching } from '../../kernel/config/values.ts';

export const settings = Object.freeze<PlatformSetting[]>([
  {
    name: 'WHATSAPP_CONFIG_ID',
    meaning:
      'The configuration of embedded sign-up, from Facebook Login for Business in the app dashboard. ' +
      'Without it the dialog asks for the permissions alone.',
    parse: matching(/^\d{5,25}$/, 'must be the id of a configuration, digits alone'),
    sandbox: '1000000000000001',
  },
]);
