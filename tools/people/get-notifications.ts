import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Notifications } from './notifications.ts';

export const getNotifications = defineTool({
  name: 'get_notifications',
  summary: 'Read which notifications by mail you get, of those that are for your role.',
  http: { method: 'GET', path: '/notifications' },
  effect: 'read',
  access: { dashboard: 'posts:write' },
  input: z.object({}),
  output: Notifications,
  errors: [],
  async run(_, { caller }, { notifications }: Module<'notifications'>) {
    return notifications.get(caller);
  },
});
