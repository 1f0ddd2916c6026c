import { configSetting } from '../graph/dialog.ts';

export const CONFIG = configSetting({
  name: 'WHATSAPP_CONFIG_ID',
  meaning:
    'The configuration of embedded sign-up, from Facebook Login for Business in the app dashboard. ' +
    'Without it the dialog asks only for the permissions.',
  sandbox: '1000000000000001',
});
