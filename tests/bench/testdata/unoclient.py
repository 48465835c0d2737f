"""Tells a listening LibreOffice to convert a file: ACCEPT IN OUT."""
import sys
import uno
from com.sun.star.beans import PropertyValue

def prop(name, value):
    p = PropertyValue()
    p.Name, p.Value = name, value
    return p

local = uno.getComponentContext()
resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
remote = resolver.resolve("uno:" + sys.argv[1] + "StarOffice.ComponentContext")
desktop = remote.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", remote)
document = desktop.loadComponentFromURL(uno.systemPathToFileUrl(sys.argv[2]), "_blank", 0, (prop("Hidden", True), prop("ReadOnly", True)))
if document is None:
    sys.exit("the document was not loaded")
document.storeToURL(uno.systemPathToFileUrl(sys.argv[3]), (prop("FilterName", "writer_pdf_Export"),))
document.close(True)
