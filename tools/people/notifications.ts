import { z } from 'zod';
import { NOTIFICATION_KINDS } from '#kernel/people/notifications.ts';
import { named } from '../fields.ts';

export const notificationKind = z.enum(NOTIFICATION_KINDS);

export const Notifications = named('Notifications', {
  mail: z.boolean().describe('Whether the server sends mail at all.'),
  email: z.string(),
  notifications: z.array(
    z.looseObject({ kind: notificationKind, title: z.string(), meaning: z.string(), chosen: z.boolean() }),
  ),
});
