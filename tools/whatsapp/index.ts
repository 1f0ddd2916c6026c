import { toolset } from '#call/tool.ts';
import { createWhatsappTemplate } from './create-whatsapp-template.ts';
import { deleteWhatsappTemplate } from './delete-whatsapp-template.ts';
import { deregisterWhatsappNumber } from './deregister-whatsapp-number.ts';
import { getWhatsappBusinessProfile } from './get-whatsapp-business-profile.ts';
import { getWhatsappNumberStatus } from './get-whatsapp-number-status.ts';
import { getWhatsappTemplate } from './get-whatsapp-template.ts';
import { listWhatsappTemplates } from './list-whatsapp-templates.ts';
import { registerWhatsappNumber } from './register-whatsapp-number.ts';
import { requestWhatsappCode } from './request-whatsapp-code.ts';
import { sendWhatsappTemplate } from './send-whatsapp-template.ts';
import { updateWhatsappBusinessProfile } from './update-whatsapp-business-profile.ts';
import { updateWhatsappTemplate } from './update-whatsapp-template.ts';
import { validateWhatsappTemplate } from './validate-whatsapp-template.ts';
import { verifyWhatsappCode } from './verify-whatsapp-code.ts';

export const whatsapp = toolset('whatsapp', 'WhatsApp', 'WhatsApp: numbers and templates.', [
  requestWhatsappCode,
  verifyWhatsappCode,
  registerWhatsappNumber,
  deregisterWhatsappNumber,
  getWhatsappNumberStatus,
  getWhatsappBusinessProfile,
  updateWhatsappBusinessProfile,
  listWhatsappTemplates,
  createWhatsappTemplate,
  deleteWhatsappTemplate,
  getWhatsappTemplate,
  updateWhatsappTemplate,
  sendWhatsappTemplate,
  validateWhatsappTemplate,
]);
