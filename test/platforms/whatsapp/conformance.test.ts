import { conforms } from '../conformance/conforms.ts';
import { whatsappSubject } from '../conformance/whatsapp.ts';

conforms(whatsappSubject);
