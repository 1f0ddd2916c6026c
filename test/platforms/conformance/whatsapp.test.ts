import { conforms } from './conforms.ts';
import { whatsappSubject } from './whatsapp.ts';

conforms(whatsappSubject);
