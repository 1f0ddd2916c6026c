import { toolset } from '#call/tool.ts';
import { deleteMe } from './delete-me.ts';
import { getMe } from './get-me.ts';
import { patchMe } from './patch-me.ts';
import { provisionUser } from './provision-user.ts';

export const users = toolset('users', 'User', 'The user behind the token.', [getMe, patchMe, deleteMe, provisionUser]);
