import { conforms } from '../conformance/conforms.ts';
import { whatsappSubject } from '../conformance/subjects/whatsapp.ts';

conforms(whatsappSubject);
