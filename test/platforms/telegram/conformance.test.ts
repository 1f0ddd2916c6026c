import { conforms } from '../conformance/conforms.ts';
import { telegramSubject } from '../conformance/subjects/telegram.ts';

conforms(telegramSubject);
