import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { notificationKind, Notifications } from './notifications.ts';

export const setNotifications = defineTool({
  name: 'set_notifications',
  summary: 'Choose which notifications you get by mail.',
  http: { method: 'PUT', path: '/notifications' },
  effect: 'update',
  idempotent: true,
  act: 'admin',
  access: { dashboard: 'posts:write' },
  input: z.object({
    kinds: z
      .array(notificationKind)
      .max(100)
      .describe('All kinds that you want; an empty list ends all notifications.'),
  }),
  output: Notifications,
  errors: [],
  async run({ kinds }, { caller }, { notifications }: Module<'notifications'>) {
    return notifications.choose(caller, kinds);
  },
});
